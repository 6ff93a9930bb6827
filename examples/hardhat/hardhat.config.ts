import { fileURLToPath } from 'node:url'
import toolbox from '@nomicfoundation/hardhat-toolbox-viem'
import { defineConfig } from 'hardhat/config'

export default defineConfig({
  plugins: [toolbox],
  solidity: {
    version: '0.8.37',
    // The compiler of the package solc, so that nothing is downloaded. You can remove this.
    path: fileURLToPath(import.meta.resolve('solc/soljson.js')),
  },
  networks: { isonode: { type: 'http', url: process.env.RPC_URL ?? 'http://127.0.0.1:8545' } },
})
