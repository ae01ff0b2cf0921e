export type {
  Body,
  HeaderList,
  HeaderSection,
  ResponseStream,
  ServerConnection,
  ServerRequest,
} from "./request.js";
