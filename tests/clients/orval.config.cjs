// The fetch client of orval reads every answer as JSON, and knows no base address: its users give it a function for both.
module.exports = {
  api: {
    input: process.env.CONTRACT,
    output: {
      target: "generated/orval/api.ts",
      mode: "split",
      client: "fetch",
      headers: true,
      override: { mutator: { path: "./orval_fetch.ts", name: "send" } },
    },
  },
};
