import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { BadRequestSchema } from "../../gen/google/rpc/error_details_pb.js";
import { readRules } from "../../src/routes/input/rules-document.js";
import { defineMessages, field } from "../support/messages/define-messages.js";
import { useOnePort } from "../support/servers.js";
import { TRANSPORTS } from "../support/transports.js";

/** A service whose requests have a field with this label, as they and the messages in them have. */
function serviceWith(label: Label) {
  const { types } = defineMessages([
    {
      name: "test/order.proto",
      package: "test",
      syntax: "proto2",
      messageType: [
        {
          name: "Order",
          field: [
            field("item_count", 1, Type.INT32, { jsonName: "itemCount", label }),
            field("sub_orders", 2, Type.MESSAGE, {
              jsonName: "subOrders",
              typeName: ".test.Order",
              label: Label.REPEATED,
            }),
            field("id", 3, Type.STRING),
          ],
        },
      ],
      service: [
        {
          name: "Orders",
          method: [
            {
              name: "Place",
              inputType: ".test.Order",
              outputType: ".test.Order",
              options: { idempotencyLevel: 1 },
            },
          ],
        },
      ],
    },
  ]);
  const service = types.getService("test.Orders");
  if (service === undefined) {
    throw new Error("the service is in the file");
  }
  return service;
}

const calls: unknown[] = [];
const server = useOnePort({
  routes: (router) =>
    router.service(serviceWith(Label.REQUIRED), {
      place: (request: unknown) => {
        calls.push(request);
        return { itemCount: 1 };
      },
    } as never),
  transcoding: {
    rules: readRules({
      rules: [
        {
          selector: "test.Orders.Place",
          get: "/v1/orders/{id}",
          additionalBindings: [
            { post: "/v1/orders", body: "*" },
            { post: "/v1/orders/{item_count}/sub_orders", body: "sub_orders" },
          ],
        },
      ],
    }),
  },
});

/** A client that knows the field as optional, and so can omit it. */
const service = serviceWith(Label.OPTIONAL);

describe.each(TRANSPORTS)("%s", (name, transport) => {
  const place = (request: object) =>
    // biome-ignore lint/suspicious/noExplicitAny: the descriptor has no types
    (createClient(service, transport(server.url)) as any).place(request);
  const isJson = name.includes("JSON") || name.includes("GET");

  test.each([
    [{ id: "a" }, ["item_count"], ["itemCount"]],
    [
      { itemCount: 1, subOrders: [{ itemCount: 0 }, {}] },
      ["sub_orders[1].item_count"],
      ["subOrders[1].itemCount"],
    ],
  ])("%j is invalid", async (request, fields, jsonFields) => {
    calls.length = 0;
    const error = ConnectError.from(await place(request).catch((thrown: unknown) => thrown));
    expect(error.code).toBe(Code.InvalidArgument);
    const violations = error.findDetails(BadRequestSchema).flatMap(({ fieldViolations }) => fieldViolations);
    expect(violations.map((each) => `${each.field} ${each.reason}`)).toEqual(
      (isJson ? jsonFields : fields).map((each) => `${each} REQUIRED`),
    );
    expect(calls).toEqual([]);
  });

  test("a field at its default is there", async () => {
    await expect(place({ itemCount: 0 })).resolves.toMatchObject({ itemCount: 1 });
  });
});

test.each<[line: string, body: string | undefined, status: number, message: string | undefined]>([
  ["GET /v1/orders/a", undefined, 400, "itemCount: is required"],
  ["GET /v1/orders/a?itemCount=0", undefined, 200, undefined],
  ["POST /v1/orders", "{}", 400, "itemCount: is required"],
  ["POST /v1/orders", '{"item_count":0,"sub_orders":[{}]}', 400, "subOrders[0].itemCount: is required"],
  // What is invalid is not missing as well.
  ["POST /v1/orders", '{"itemCount":"x"}', 400, "itemCount: must be an integer"],
  ["POST /v1/orders/1/sub_orders", "[{}]", 400, "subOrders[0].itemCount: is required"],
  ["POST /v1/orders/0/sub_orders", '[{"itemCount":0}]', 200, undefined],
])("%s with %s: %d", async (line, body, status, message) => {
  const [method = "", path = ""] = line.split(" ");
  const headers = { "content-type": "application/json" };
  const response = await fetch(server.url + path, { method, ...(body !== undefined && { headers, body }) });
  const { error } = (await response.json()) as { error?: { message: string } };
  expect([response.status, error?.message]).toEqual([status, message]);
});
