const { startNode } = require('isonode')

/** Runs once, before all test files; its environment is that of the tests. */
module.exports = async () => {
  globalThis.node = await startNode()
  process.env.RPC_URL = globalThis.node.url
}
