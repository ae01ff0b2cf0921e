/**
 * Queries as people type them, by kind: the alpha-2 code of the country that is meant, and the query. They come from general knowledge, not
 * from the data, so that the share of found ones is an estimate for other queries. Do not remove a query because it is not found.
 */
const QUERIES: Readonly<Record<string, string>> = {
  "everyday names": `
US USA
US the states
US United States
US america
GB uk
GB Britain
GB great britain
GB England
GB scotland
GB Wales
GB Northern Ireland
NL holland
NL the netherlands
CZ czech republic
CZ Czechia
CH switzerland
KR South Korea
KR korea south
KP north korea
KP DPRK
RU russia
RU Russian Federation
CN china
CN mainland china
CN PRC
TW taiwan
TW Republic of China
VN vietnam
LA laos
SY syria
IR iran
TZ tanzania
BO bolivia
VE venezuela
MD moldova
BN brunei
CI ivory coast
CD congo kinshasa
CD DR Congo
CD DRC
CG congo brazzaville
CG republic of the congo
CF central african republic
CV cape verde
TL east timor
TR turkey
MK north macedonia
SZ eswatini
AE uae
AE emirates
AE Dubai
SA ksa
SA saudi
NZ new zealand
NZ aotearoa
PG papua
PG png
VA vatican
VA holy see
PS palestine
PS west bank
PS gaza strip
HK hong kong
MO macau
MO Macao
FK falklands
FO faroes
BA bosnia
BA Bosnia and Herzegovina
TT trinidad
AG antigua
KN st kitts
LC st lucia
VC saint vincent
ST sao tome
ES canary islands
PT azores
PT madeira
FR corsica
IT Sicily
GR Crete
US hawaii
US alaska
PR puerto rico
IE republic of ireland
IE Eire
MM myanmar
XK Kosovo
EH western sahara
GL greenland
SJ Spitsbergen
SH st helena
BQ bonaire
SX sint maarten
MF st martin
BL st barts
PF tahiti
TZ zanzibar
MY borneo malaysia
ID bali`,
  "former names": `
MM burma
LK ceylon
IR persia
TH siam
ZW rhodesia
ET abyssinia
CD zaire
BF upper volta
BJ dahomey
SZ swaziland
KH kampuchea
BD east pakistan
DE east germany
DE West Germany
DE GDR
RU soviet union
RU USSR
RU sovjetunionen
CZ Czechoslovakia
RS yugoslavia
MK fyrom
MK macedonia
ID dutch east indies
CI côte d'ivoire
GH gold coast
BW Bechuanaland
ZM northern rhodesia
MW Nyasaland
LS Basutoland
VU New Hebrides
KI gilbert islands
TV ellice islands
BZ british honduras
SR dutch guiana
TR ottoman empire
DE Prussia
TW formosa
NA south west africa
MG malagasy republic`,
  "names in other languages": `
DE Deutschland
DE Allemagne
DE Alemania
DE Germania
DE Niemcy
DE Duitsland
DE Tyskland
DE Německo
DE Saksa
DE Almanya
DE Германия
DE Німеччина
DE ドイツ
DE 德国
DE 德國
DE 독일
DE ألمانيا
DE גרמניה
DE जर्मनी
DE Γερμανία
DE เยอรมนี
FR Frankreich
FR Francia
FR Frankrijk
FR França
FR フランス
FR 法国
FR 프랑스
FR Франция
FR فرنسا
GB Royaume-Uni
GB Vereinigtes Königreich
GB Reino Unido
GB Wielka Brytania
GB Великобритания
GB Англия
GB イギリス
GB 英国
GB 영국
GB Angleterre
GB Inglaterra
GB Storbritannien
GB İngiltere
US États-Unis
US Estados Unidos
US EE.UU.
US EEUU
US Etats Unis
US Vereinigte Staaten
US Stany Zjednoczone
US США
US アメリカ
US 美国
US 미국
US Amerika
US Mỹ
US أمريكا
JP Japon
JP Giappone
JP Japonia
JP 日本
JP Япония
JP 일본
CN Chine
CN Cina
CN 中国
CN Китай
CN 중국
CN Trung Quốc
CN الصين
NL Niederlande
NL Pays-Bas
NL Países Bajos
NL Paesi Bassi
NL Nederland
NL Holandia
NL Голландия
NL オランダ
CH Schweiz
CH Suisse
CH Svizzera
CH Suiza
CH Zwitserland
CH スイス
AT Österreich
AT Oesterreich
AT osterreich
AT Autriche
AT Austria
AT Австрия
ES España
ES espana
ES Espagne
ES Spanien
ES Hiszpania
ES Испания
ES スペイン
ES 西班牙
IT Italien
IT Italie
IT Włochy
IT Италия
IT 意大利
PL Polska
PL Polen
PL Pologne
PL Польша
HU Magyarország
HU Ungarn
HU Węgry
FI Suomi
FI Finnland
SE Sverige
SE Schweden
NO Norge
NO Norwegen
DK Danmark
DK Dänemark
IS Ísland
IS Island
GR Griechenland
GR Ελλάδα
GR Grecia
GR Hellas
TR Türkei
TR Turquie
TR Türkiye
HR Hrvatska
HR Kroatien
HR Chorwacja
RS Srbija
RS Сербия
AL Shqipëria
GE Грузия
GE საქართველო
AM Հայաստան
IL ישראל
EG مصر
EG Ägypten
MA Maroc
MA المغرب
DZ Algérie
IN भारत
IN Indien
IN Индия
BD বাংলাদেশ
LK இலங்கை
PK پاکستان
KR 대한민국
KR 한국
KR Corée du Sud
KR Südkorea
KP 북한
TH ประเทศไทย
TH ไทย
VN Việt Nam
VN 越南
PH Pilipinas
PH Filipinas
BR Brasil
BR Brasilien
MX México
MX Мексика
CA Kanada
CA Канада
ZA Südafrika
ZA Afrique du Sud
ZA África do Sul
CI Elfenbeinküste
BY Weißrussland
BY Белоруссия
UA Украина
UA Україна
KZ Қазақстан
IE Irland
CY Zypern
NZ Neuseeland
NZ Nouvelle-Zélande
MM Birmanie
VA Vatikan
VA Città del Vaticano`,
  "without diacritics, partial": `
CI cote d ivoire
CI cote divoire
RE reunion
CW curacao
AX aland
ST sao tome and principe
MX mexico
PE peru
BL saint barthelemy
TR turkiye
DE germ
CH switz
AU austral
AZ azerb
KZ kazakh
LI liecht
PH philip
NZ zealand
AF afghan
TM turkmen
UZ uzbek
BA herzegovina
TT tobago
KN nevis
VC grenadines
AG barbuda
PM miquelon
WF futuna
TC caicos
GW guinea bissau
GQ equatorial guinea
PG new guinea
SL sierra
CR costa
SV salvador
DO dominican rep
LU luxem
MU maurit
MV maldiv
SC seych
LU Letzebuerg`,
  misspellings: `
DE Germny
DE Gemany
FR Frnace
ES Spian
IT Itlay
CH Switzerand
CH Swizerland
PH Phillipines
PH Philippenes
CO Columbia
LI Lichtenstein
LI Liechtenstien
AZ Azerbaidjan
KZ Kazakstan
KG Kyrgystan
TJ Tadjikistan
UZ Uzbekhistan
AF Afganistan
BD Bangladsh
MA Morroco
MA Marocco
AR Argentinia
BR Brasill
VE Venezula
PT Portugual
PT Portgual
NL Netherland
NL Nederlands
NZ New Zeland
ZA South Afica
SA Saudi Arabi
SA Sauid Arabia
ET Ethopia
MR Mauretania
GT Guatamala
HN Hondorus
NI Nicuragua
PY Paraquay
UY Urugay
MY Malasia
MY Malaysa
SG Singapur
SG Singapor
ID Indonisia
LT Lithunia
LV Lativa
EE Estoina
SK Slovaika
BG Bulgeria
HR Croatioa
AU Austrailia
CA Cananda
US Untied States
GB United Kingdon
GB Untied Kingdom
JP Japn
KH Cambodja
MG Madagaskar
CM Camaroon
SN Sengal
TN Tunisa
ZW Zimbabway
TM Turkmenestan
DO Domincan Republic
IL Isreal`,
  "codes, flags, numbers": `
DE DE
DE deu
DE 276
DE 🇩🇪
JP 🇯🇵
US 🇺🇸
GB 🇬🇧
GB 🏴󠁧󠁢󠁥󠁮󠁧󠁿
GB 🏴󠁧󠁢󠁳󠁣󠁴󠁿
UA 🇺🇦
XK 🇽🇰
BR 🇧🇷
GB +44
GB 0044
US +1
DE +49
DE 0049
DE 49
FR +33 1 23 45 67 89
ES 34
CH +41
AT 0043
IN +91
CN +86
JP 81
RU +7
PR +1 787
JM +1-876
CA +1 416 555 0100
KZ +77
HK +852
UA 00380
IE +353
BR 011 55 11 91234 5678
VA +39 06 698
DE .de
GB .uk
IO .io
TV .tv
AI .ai
US .us
CH CHE
GR GRC
GB GBR
GB GB
US US-CA
FR FR-75
DE DE-BY
JP JPY
GB GBP
CH CHF
SE SEK
JP Asia/Tokyo
US America/Los_Angeles
DE Europe/Berlin`,
  "capitals and cities, inhabitants": `
FR Paris
GB London
DE Berlin
DE Munich
DE Hamburg
DE München
JP tokyo
JP Tokio
JP Osaka
CN beijing
CN Peking
CN Shanghai
RU Moscow
RU Moskau
RU Москва
IT Rome
IT Milan
ES Madrid
ES Barcelona
AT Vienna
AT Wien
PL Warschau
CZ Prag
CZ Prague
US washington
US new york
US los angeles
US Chicago
US Texas
US California
CA Toronto
CA Montreal
CA Quebec
CA Ontario
AU Sydney
AU melbourne
AU Canberra
BR Rio de Janeiro
BR sao paulo
IN Delhi
IN mumbai
TR Istanbul
EG Cairo
NG Lagos
KE nairobi
ZA Cape Town
ZA Johannesburg
VN saigon
VN Hanoi
KR Seoul
UA Kiev
UA Kyiv
IL tel aviv
IL Jerusalem
DE german
DE Germans
FR french
US Americans
GB British
NL Dutch
DK Danish
CH swiss
PL Polish
GR Greeks
TR Turks
ES Spanish
JP Japanese
CN Chinese
DE Bavaria
GB Cornwall
FR Bretagne
FR Normandie
ES Catalonia
ES Andalusia
IT Toscana
CH Zürich
JP Hokkaido
MY Penang
MX Cancun
IN Goa
IN Kerala`,
};

/** A query, the country that it means, and its kind. */
interface EverydayQuery {
  readonly kind: string;
  readonly query: string;
  readonly code2: string;
}

/** All queries. */
export const EVERYDAY_QUERIES: readonly EverydayQuery[] = Object.entries(QUERIES).flatMap(([kind, text]) =>
  text
    .trim()
    .split("\n")
    .map((line) => ({ kind, code2: line.slice(0, 2), query: line.slice(3) })),
);
