/** Outcomes of functions with expected failures: those of the packages too. */
export { type Failure, fail, ok, type Result } from "connect-transcoding-operations/failures/result";
