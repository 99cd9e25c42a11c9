import { StringDecoder } from "node:string_decoder";

/** An event of Pi's JSON stream, or any other record of it. */
export interface PiEvent {
  type: string;
  [field: string]: unknown;
}

/** Reads LF-delimited JSON as it arrives. Other line separators are legal inside the records. */
export function jsonLines(onRecord: (record: PiEvent) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  return (chunk) => {
    const lines = (rest + decoder.write(chunk)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") onRecord(JSON.parse(line));
  };
}
