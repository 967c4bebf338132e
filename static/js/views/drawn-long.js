// The page of a long text: its figures come drawn, and are followed while they are computed.

import { followed } from "../progress.js";
import { drawn } from "./drawn.js";

export default () => drawn({ how: followed });
