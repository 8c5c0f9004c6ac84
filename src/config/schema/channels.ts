// `channels`: where replies go. A platform is one line here, once its adapter exists.
import { z } from "zod";

export const channels = z.strictObject({});
