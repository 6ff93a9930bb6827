import { describeBlockchainTests } from '../support/blockchainTests.ts'

describeBlockchainTests('v6', 'slow')
