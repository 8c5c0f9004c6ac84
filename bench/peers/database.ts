// Whether a query on a peer's own tables finds a row.
import pg from "pg";

export async function rowFinder(url: string, sql: string): Promise<() => Promise<boolean>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return async () => ((await client.query(`${sql} limit 1`)).rowCount ?? 0) > 0;
}
