// Jobs: records of JSON, line by line, as the server finds them; to abort the signal ends the job.
import { reach, Refused } from "./common.js";

/** Call `each` with every record; an error that comes among them is raised. */
export const stream = async (path, each, signal) => {
  const response = await reach(path, { signal });
  if (!response.ok) throw new Refused(response.status, await response.json().catch(() => ({})));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = "", done = false; !done;) {
    const read = await reader.read();
    done = read.done;
    const lines = (rest + (read.value ?? "")).split("\n");
    rest = lines.pop();
    for (const record of lines.map((line) => JSON.parse(line))) {
      if (record.error) throw new Refused(200, record);
      each(record);
    }
  }
};
