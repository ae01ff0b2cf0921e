// Express serves the library beside routes of its own.
import { createTranscodingMiddleware } from "connect-transcoding/express";
import express from "express";
import { routes } from "../library/books.js";

const app = express();
app.use(createTranscodingMiddleware({ routes }));
app.get("/hello", (_request, response) => {
  response.json({ hello: "Express" });
});

const server = app.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
});
