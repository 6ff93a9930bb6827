require('@nomicfoundation/hardhat-ethers')
require('@nomicfoundation/hardhat-chai-matchers')
const { subtask } = require('hardhat/config')
const { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } = require('hardhat/builtin-tasks/task-names')
const { version } = require('solc/package.json')

// The compiler among Hardhat's own packages, so that nothing is downloaded. You can remove this.
subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async () => ({
  compilerPath: require.resolve('solc/soljson.js'),
  isSolcJs: true,
  version,
  longVersion: version,
}))

module.exports = {
  solidity: version,
  networks: { isonode: { url: process.env.RPC_URL ?? 'http://127.0.0.1:8545', chainId: 31337 } },
}
