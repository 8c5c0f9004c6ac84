// Latencies and ids that the load generator collects, outside of the heap: garbage collection of half a million entries
// in the middle of a turn would delay requests, and the delay would look like the server's.
const rowsInPage = 65_536;
const idBytes = 36;

type Page = { latenciesMs: Float64Array; duesUs: Float64Array; ids: Buffer };

const newPage = (): Page => ({
  latenciesMs: new Float64Array(rowsInPage),
  duesUs: new Float64Array(rowsInPage),
  ids: Buffer.alloc(rowsInPage * idBytes),
});

export type Tally = {
  /** `id` is null where the response has none or ids are not kept. */
  add(latencyMs: number, dueUs: number, id: string | null): void;
  size(): number;
  latenciesMs(): number[];
  /** Responses with an id. */
  identified(): { ids: string[]; dueUs: number[] };
};

export function createTally(): Tally {
  let page = newPage();
  const pages = [page];
  let size = 0;
  const pageOf = (row: number): Page => pages[Math.floor(row / rowsInPage)]!;
  const latencyOf = (row: number): number => pageOf(row).latenciesMs[row % rowsInPage]!;
  const dueOf = (row: number): number => pageOf(row).duesUs[row % rowsInPage]!;
  const hasId = (row: number): boolean => pageOf(row).ids[(row % rowsInPage) * idBytes] !== 0;
  const idOf = (row: number): string => {
    const start = (row % rowsInPage) * idBytes;
    return pageOf(row).ids.toString("latin1", start, start + idBytes);
  };
  return {
    add(latencyMs, dueUs, id) {
      const at = size % rowsInPage;
      if (at === 0 && size > 0) pages.push((page = newPage()));
      page.latenciesMs[at] = latencyMs;
      page.duesUs[at] = dueUs;
      if (id !== null) page.ids.write(id, at * idBytes, "latin1");
      size++;
    },
    size: () => size,
    latenciesMs: () => Array.from({ length: size }, (_, row) => latencyOf(row)),
    identified() {
      const known = Array.from({ length: size }, (_, row) => row).filter(hasId);
      return { ids: known.map(idOf), dueUs: known.map(dueOf) };
    },
  };
}
