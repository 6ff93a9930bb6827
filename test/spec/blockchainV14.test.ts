import { describeBlockchainTests } from '../support/blockchainTests.ts'

describeBlockchainTests('v14')
