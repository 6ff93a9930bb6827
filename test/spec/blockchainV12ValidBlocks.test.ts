import { describeBlockchainTests } from '../support/recorded/blockchainTests.ts'

describeBlockchainTests('v12/ValidBlocks')
