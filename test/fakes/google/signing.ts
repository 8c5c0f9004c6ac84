// Google's signing keys, and the tokens that Pub/Sub signs its pushes with.
import { createHmac, type KeyObject, sign, verify } from "node:crypto";
import { type Json, ok, type Part } from "./http.ts";
import { rsaKey } from "../../support/rsa.ts";

const firstKeyId = "fake-key-1";

type SigningKey = { id: string; privateKey: KeyObject; publicKey: KeyObject };

export function createSigning({ now }: { now: () => number }) {
  const keys: SigningKey[] = [createKey(firstKeyId)];

  const part: Part = ({ method, path }) => {
    if (method === "GET" && path === "/oauth2/v3/certs") return ok({ keys: keys.map(jwkOf) });
    if (method === "GET" && path === "/oauth2/v1/certs")
      return ok(Object.fromEntries(keys.map(({ id, publicKey }) => [id, pemOf(publicKey)])));
    return null;
  };

  return {
    part,
    /** The first key, in the form an attacker would use as a shared secret. */
    publicKeyPem: () => pemOf(keys[0]!.publicKey),
    /** Publishes another key beside those there are. */
    addKey(id: string): KeyObject {
      const key = createKey(id);
      keys.push(key);
      return key.privateKey;
    },
    /** A token as Pub/Sub signs it; `claims`, `header` and `key` replace parts of it. */
    pushToken(
      claims: Json,
      { header = {}, key = keys[0]!.privateKey }: { header?: Json; key?: KeyObject } = {},
    ): string {
      const seconds = Math.floor(now() / 1000);
      const all = {
        iss: "https://accounts.google.com",
        email_verified: true,
        sub: "1234567890",
        iat: seconds,
        exp: seconds + 3600,
        ...claims,
      };
      return signed({ alg: "RS256", kid: firstKeyId, typ: "JWT", ...header }, all, key);
    },
  };
}

function createKey(id: string): SigningKey {
  return { id, ...rsaKey(id) };
}

const pemOf = (key: KeyObject): string => key.export({ type: "spki", format: "pem" }).toString();

const jwkOf = ({ id, publicKey }: SigningKey): Json => ({
  ...publicKey.export({ format: "jwk" }),
  kid: id,
  alg: "RS256",
  use: "sig",
});

/** Signed with RSA, or with HMAC where the key is a secret one. The header is as given. */
export function signed(header: Json, claims: Json, key: KeyObject): string {
  const text = [header, claims]
    .map((each) => Buffer.from(JSON.stringify(each)).toString("base64url"))
    .join(".");
  const signature =
    key.type === "secret"
      ? createHmac("sha256", key).update(text).digest()
      : sign("sha256", Buffer.from(text), key);
  return `${text}.${signature.toString("base64url")}`;
}

/** The claims of a token with a right signature. */
export function verified(token: string, key: KeyObject): Json | null {
  const [head = "", body = "", signature = ""] = token.split(".");
  const isGood = verify("sha256", Buffer.from(`${head}.${body}`), key, Buffer.from(signature, "base64url"));
  return isGood ? (JSON.parse(Buffer.from(body, "base64url").toString("utf8")) as Json) : null;
}
