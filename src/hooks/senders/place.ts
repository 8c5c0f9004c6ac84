// Where a value stands in a request.

/** A list inside of one value, such as `t=1,v1=ab,v1=cd`: the items with this tag. */
export type TaggedList = { readonly split: string; readonly by: string; readonly tag: string };

/** Where a value stands in a request. A tagged list may hold several values. */
export type Place =
  | { readonly header: string; readonly prefix?: string; readonly list?: TaggedList }
  | { readonly json: string }
  | { readonly form: string }
  | { readonly query: string };
