import { describeBlockchainTests } from '../support/blockchainTests.ts'

describeBlockchainTests('v12/ValidBlocks')
