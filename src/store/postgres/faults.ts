// What a fault of the PostgreSQL client means for the caller.

const codeOf = (fault: unknown): string =>
  fault instanceof Error && "code" in fault && typeof fault.code === "string" ? fault.code : "";

/** A deadlock, a serialisation failure, a lock not granted: another transaction went first, and ours can be run again. */
export const isContention = (fault: unknown): boolean => ["40P01", "40001", "55P03"].includes(codeOf(fault));

// Connection (08), resources (53), operator intervention (57), system (58), read-only (25006), a transaction that took
// too long (25P03, 25P04), wrong password or database (28, 3D), and every code of a socket.
const unavailableCodes = /^(08|53|57|58|28|3D|25006|25P03|25P04|E[A-Z]{2,})/;

/** What a code alone would not tell an operator. */
const explained: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens at its address; start it, or correct the address (ECONNREFUSED)",
  ENOTFOUND: "there is no host of this name; correct the address (ENOTFOUND)",
  "28P01": "the user or the password is wrong (28P01)",
  "28000": "it does not let this user in; see its pg_hba.conf (28000)",
  "3D000": "it has no database of this name; create it, or correct the address (3D000)",
  "53300": "it has no connection left; raise max_connections (53300)",
  "25006": "it is read-only, as a standby is, or by default_transaction_read_only (25006)",
};

/** The client has a message and no code for this. */
const noPassword = /client password must be a (?:non-empty )?string/;

export const isUnavailable = (fault: unknown): boolean => {
  const code = codeOf(fault);
  if (code !== "") return unavailableCodes.test(code);
  return (
    fault instanceof Error &&
    (noPassword.test(fault.message) || /connection|timeout|terminated|not queryable/i.test(fault.message))
  );
};

/** Never the client's own message: it may quote the address with its password. */
export const reasonOf = (fault: unknown): string => {
  const code = codeOf(fault);
  if (fault instanceof Error && noPassword.test(fault.message))
    return "it wants a password, and the address has none";
  return explained[code] ?? (code || "the connection failed");
};
