// Plays programs on a connection: sends their statements and hands them the rows.
import type pg from "pg";
import {
  FinalBatch,
  inside,
  rowsFor,
  statementsOf,
  type Row,
  type Step,
  type Transaction,
} from "../driver/program.ts";
import { commit, createStatements, inOnePacket } from "./connection.ts";

export type Player = {
  send(client: pg.ClientBase, step: Step): Promise<Row[]>;
  /** All of a program, without a transaction. */
  run(client: pg.ClientBase, program: Transaction<unknown>): Promise<unknown>;
  /** The rest of a program whose transaction has begun, from these rows on, and the commit. */
  finish(client: pg.ClientBase, program: Transaction<unknown>, rows: Row[]): Promise<unknown>;
};

export function createPlayer(): Player {
  const statements = createStatements();

  const send = async (client: pg.ClientBase, step: Step): Promise<Row[]> => {
    const results = inOnePacket(client, () =>
      statementsOf(step).map((each) => statements.query(client, each)),
    );
    return rowsFor(step, await Promise.all(results));
  };

  return {
    send,
    async run(client, program) {
      const parts = inside(program);
      let step = parts.next([]);
      while (!step.done) step = parts.next(await send(client, step.value));
      return step.value;
    },
    async finish(client, program, rows) {
      let step = program.next(rows);
      while (!step.done) step = program.next(await send(client, step.value));
      const end = step.value;
      if (!(end instanceof FinalBatch)) {
        await commit(client);
        return end;
      }
      // The commit travels with the final batch.
      const [last] = await Promise.all(
        inOnePacket(client, () => [send(client, { statements: end.statements }), commit(client)] as const),
      );
      return end.toResult(last as unknown as Row[][]);
    },
  };
}
