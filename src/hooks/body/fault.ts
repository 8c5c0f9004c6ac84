// Why a body cannot be read. The message is for the caller: it has nothing of the body in it.
export class BodyFault extends Error {
  override readonly name = "BodyFault";
}
