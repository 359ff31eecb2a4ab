// recon: records what the agent is about to pay, and what came of it.
import { spawnSync } from "node:child_process"

const record = (command, event) =>
  spawnSync("RECON_HOOK", [command, "--harness", "opencode"], { input: JSON.stringify(event), timeout: 10000, encoding: "utf8" })

export const Recon = async () => ({
  "tool.execute.before": async (input, output) => {
    const done = record("pre", { event: "tool.execute.before", input, output })
    if (done.status !== 0) throw new Error(done.stderr || "recon-hook did not run: the payment would be on no record")
    const answer = JSON.parse(done.stdout || "{}")
    if (answer.args) Object.assign(output.args, answer.args)
  },
  "tool.execute.after": async (input, output) => {
    record("post", { event: "tool.execute.after", input, output })
  },
})
