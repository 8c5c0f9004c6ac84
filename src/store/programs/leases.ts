// When a claim may take over what another node holds.

/**
 * The condition that what is leased until `until` is free by `leasesBy`, too: the time by which leases count as ended
 * when the database's clock was set forward. Null: by the transaction's time alone.
 */
export const leasesEnded = (isLeased: string, until: string, leasesBy: string): string =>
  ` and (not (${isLeased}) or ${until} <= coalesce(cast(${leasesBy} as bigint), ${until}))`;
