import type { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Flag } from "../../kit/answers/flag.js";
import { FULL_VIEW, placeWords } from "../../kit/answers/place-words.js";
import { TextInput } from "../../kit/form/fields.js";
import { Icon } from "../../kit/icon.js";
import { Loaded } from "../../kit/loaded.js";
import { panelHash } from "../../kit/location.js";
import { ownNetwork } from "../../kit/own-network.js";
import { TYPING_PAUSE, useAnswer } from "../../kit/service/call.js";
import { useSession } from "../../kit/session.js";
import { useTimer } from "../../kit/timer.js";
import { panelOfList, pastedList, severalInputs } from "../../list/pasted-list.js";
import { useOpenList } from "../../list/use-list-paste.js";
import { methodAt } from "../../schema/method.js";
import "./home.css";

/** One text for each kind of answer. */
const EXAMPLES: readonly string[] = [
  "8.8.8.8",
  "Jane.Doe+news@gmail.com",
  "Japan",
  "https://example.com/menu",
  "JBSWY3DPEHPK3PXP",
];

const API = { id: "api", title: "API reference", about: "The same tools from programs" };

const loadAnswer = () => import("./answer.js").then(({ HomeAnswer }) => HomeAnswer);

/** One input for everything, with its answer; the visitor's own address; and the tools. The input is not in the URL. */
export function HomePanel({ tools }: { readonly tools: readonly (typeof API)[] }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const { handOver } = useSession();
  const openList = useOpenList();
  const [early] = useState(() => handOver.take("home"));
  const [text, setText] = useState(early);
  const [asked, setAsked] = useState(early);
  useEffect(() => {
    if (early !== "") {
      input.current?.focus();
    }
  }, [early]);
  useTimer(TYPING_PAUSE, () => setAsked(text), [text]);
  const pick = (next: string) => {
    setText(next);
    setAsked(next);
    input.current?.focus();
  };
  return (
    <div class="stack home">
      <h1>What do you want to look up?</h1>
      <p id={`${id}-help`} class="home-help soft">
        An IP address, an e-mail address, a country, a secret, or any text. It stays in this service.
      </p>
      <form
        class="home-search"
        onSubmit={(event) => {
          event.preventDefault();
          setAsked(text);
        }}
      >
        <Icon name="search" />
        <TextInput
          ref={input}
          type="text"
          data-search
          aria-label="Look up"
          aria-describedby={`${id}-help`}
          placeholder="Type or paste"
          enterkeyhint="search"
          value={text}
          set={setText}
          onPaste={(event) => {
            const lines = pastedList(event);
            if (lines === undefined) {
              return;
            }
            event.preventDefault();
            const panel = panelOfList(lines);
            const isPlain = panel !== undefined && !(panel === "email" && lines.includes("<"));
            const list = isPlain ? { panel, text: lines } : severalInputs(lines);
            if (list === undefined) {
              // The field would join the lines.
              const field = event.currentTarget;
              const [start, end] = [field.selectionStart ?? 0, field.selectionEnd ?? 0];
              field.setRangeText(
                lines
                  .trim()
                  .split(/\s*[\r\n]+\s*/)
                  .join(" "),
                start,
                end,
                "end",
              );
              setText(field.value);
            } else {
              openList(list);
            }
          }}
          onKeyDown={(event) => event.key === "Escape" && pick("")}
        />
        {text !== "" && (
          <button type="button" class="quiet home-clear" aria-label="Clear" onClick={() => pick("")}>
            <Icon name="clear" />
          </button>
        )}
      </form>
      {text.trim() === "" ? (
        <fieldset class="examples home-examples">
          <legend class="off-screen">Examples</legend>
          {EXAMPLES.map((example) => (
            <button key={example} type="button" class="quiet" onClick={() => pick(example)}>
              {example}
            </button>
          ))}
        </fieldset>
      ) : (
        <div class="stack tight home-answer">
          {/* An answer goes away as soon as the text is another one. */}
          {asked.trim() === text.trim() ? (
            <Loaded load={loadAnswer} props={{ text: text.trim(), onPick: pick }}>
              <div class="card home-waiting" />
            </Loaded>
          ) : (
            <div class="card home-waiting" />
          )}
        </div>
      )}
      <OwnAddress />
      <ul class="tools">
        {[...tools, API].map(({ id: tool, title, about }) => (
          <li key={tool}>
            <a class="card tool-card" href={tool === API.id ? "docs" : panelHash(tool)} data-tool={tool}>
              <Icon name={tool} />
              <span>
                <strong>{title}</strong>
                <span class="small soft">{about}</span>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

const LOOKUP_SELF = methodAt<typeof GeoIpService.method.lookupSelf>("GeoIpService/LookupSelf");

/** The visitor's own address with its place. On a private network one line says so, and on the same computer nothing. */
function OwnAddress() {
  const network = ownNetwork(location.hostname);
  const { message: { metadata } = {}, failure } = useAnswer(
    LOOKUP_SELF,
    network === undefined ? { view: FULL_VIEW } : undefined,
  );
  const { block = "", range = "" } = failure?.metadata ?? {};
  if (network === "computer" || range === "Loopback") {
    return null;
  }
  if (metadata === undefined) {
    return failure === undefined && network === undefined ? (
      <p class="own-address" aria-busy="true" />
    ) : (
      <p class="home-help meta">
        {network === undefined && block === ""
          ? "Nothing is known about your address."
          : "You are on a private network, so your address has no place."}
      </p>
    );
  }
  const { location: place, asn, asnName } = metadata;
  const { title, below } = placeWords(metadata);
  const country = place?.country ?? "";
  return (
    <a class="card own-address" data-tool="geoip" href={panelHash("geoip", { value: metadata.ip })}>
      <Icon name="geoip" />
      <span>
        <span class="meta">Your address</span>
        <strong class="code">{metadata.ip}</strong>
      </span>
      <span class="own-place">
        <span>
          {country !== "" && <Flag code={country} />} {[title, below].filter(Boolean).join(", ")}
        </span>
        {asn !== 0 && (
          <span class="meta">
            {asnName} · AS{asn}
          </span>
        )}
      </span>
    </a>
  );
}
