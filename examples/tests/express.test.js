import { suite } from "./suite.js";

suite("express", { registered: true });
