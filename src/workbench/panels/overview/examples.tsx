import {
  type DescMessage,
  type DescMethodUnary,
  type DescService,
  isMessage,
  type MessageShape,
} from "@bufbuild/protobuf";
import { type HttpBody, HttpBodySchema } from "@utility-tools/protos/google/api/httpbody_pb.js";
import { SERVICES } from "@utility-tools/protos/services.js";
import type { ComponentChildren } from "preact";
import { BlobImage } from "../../kit/content.js";
import { fieldValueOf } from "../../kit/facts.js";

/** A method to call with the schema's example request, and how to summarize its response. */
export interface ToolExample {
  readonly method: DescMethodUnary;
  readonly show: (message: MessageShape<DescMessage>) => ComponentChildren;
}

function example<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  show: (message: MessageShape<Output>) => ComponentChildren,
): ToolExample {
  // `show` is only called with responses of `method`.
  return { method, show: (message) => show(message as MessageShape<Output>) };
}

/** Examples that are better than the derived one. A service without an entry gets {@link derivedExample}. */
const EXAMPLES: readonly ToolExample[] = [
  example(SERVICES.otp.method.verifyOtp, ({ otpCodes }) => <span class="code">{otpCodes?.current}</span>),
  example(SERVICES.geoIp.method.lookupIp, ({ metadata }) =>
    joined([metadata?.location?.country, metadata?.asnName]),
  ),
  example(SERVICES.countries.method.getCountry, ({ country }) =>
    joined([country?.name, country?.capital, country?.currencies[0]?.code]),
  ),
];

/** Returns the example of a service for the overview. */
export function toolExampleOf(service: DescService): ToolExample {
  return EXAMPLES.find(({ method }) => method.parent === service) ?? derivedExample(service);
}

/** How many values a derived example shows. */
const SHOWN_VALUES = 3;

/** The first method of a service. Shows the image in its response, or else the first values. */
function derivedExample(service: DescService): ToolExample {
  const method = service.methods.find((each): each is DescMethodUnary => each.methodKind === "unary");
  if (method === undefined) {
    throw new Error(
      `${service.typeName} has no unary method: add an example to panels/overview/examples.tsx`,
    );
  }
  return {
    method,
    show: (message) => {
      const values = leafValues(method.output, message);
      const image = values.find((value): value is HttpBody => isMessage(value, HttpBodySchema));
      return image === undefined ? (
        joined(values.map(String).slice(0, SHOWN_VALUES))
      ) : (
        <BlobImage body={image} alt={`Response of ${method.name}`} />
      );
    },
  };
}

/** Returns the strings, numbers and bodies in a message and in its messages, in the order of the schema. */
function leafValues(desc: DescMessage, message: object): (string | number | HttpBody)[] {
  return desc.fields.flatMap((field) => {
    const value = fieldValueOf(message, field);
    if (isMessage(value, HttpBodySchema)) {
      return [value];
    }
    if (field.fieldKind === "message" && isMessage(value)) {
      return leafValues(field.message, value);
    }
    return (typeof value === "string" && value !== "") || typeof value === "number" ? [value] : [];
  });
}

function joined(values: readonly (string | undefined)[]): string {
  return values.filter(Boolean).join(" · ");
}
