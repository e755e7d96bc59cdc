import { app } from "./app.js";
import { config } from "./config.js";

app.listen(config.port, "127.0.0.1", (error) => {
  if (error) {
    throw error;
  }
  console.log(`The app is at ${config.appUrl}`);
});
