/**
 * Nodes through which a new node finds the peers of a public network.
 * @module
 */
import type { NetworkName } from '../networks.ts'

export interface PublicNodes {
  /** Enode URLs. */
  readonly bootnodes: readonly string[]
  /** Node list in the DNS (EIP-1459). */
  readonly list: string
}

const ETHEREUM_LISTS = 'enrtree://AKA3AM6LPBYEUDMVNU3BSVQJ5AD45Y7YPOHJLEF6W26QOE4VTUDPE'
const CLASSIC_LISTS = 'enrtree://AJE62Q4DUX4QMMXEHCSSCSC65TDHZYSMONSD64P3WULVLSF6MRQ3K'

/** Networks that still exist. */
export const PUBLIC_NODES: Readonly<Partial<Record<NetworkName, PublicNodes>>> = {
  MAINNET: {
    bootnodes: [
      'enode://d860a01f9722d78051619d1e2351aba3f43f943f6f00718d1b9baa4101932a1f5011f16bb2b1bb35db20d6fe28fa0bf09636d26a87d31de9ec6203eeedb1f666@18.138.108.67:30303',
      'enode://22a8232c3abc76a16ae9d6c3b164f98775fe226f0917b0ca871128a74a8e9630b458460865bab457221f1d448dd9791d24c4e5d88786180ac185df813a68d4de@3.209.45.79:30303',
      'enode://2b252ab6a1d0f971d9722cb839a42cb81db019ba44c08754628ab4a823487071b5695317c8ccd085219c3a03af063495b2f1da8d18218da2d6a82981b45e6ffc@65.108.70.101:30303',
      'enode://4aeb4ab6c14b23e2c4cfdce879c04b0748a20d8e9b59e25ded2a08143e265c6c25936e74cbc8e641e3312ca288673d91f2f93f8e277de3cfa444ecdaaf982052@157.90.35.166:30303',
    ],
    list: `${ETHEREUM_LISTS}@all.mainnet.ethdisco.net`,
  },
  SEPOLIA: { bootnodes: [], list: `${ETHEREUM_LISTS}@all.sepolia.ethdisco.net` },
  CLASSIC: {
    bootnodes: [
      'enode://942bf2f0754972391467765be1d98206926fc8ad0be8a49cd65e1730420c37fa63355bddb0ae5faa1d3505a2edcf8fad1cf00f3c179e244f047ec3a3ba5dacd7@176.9.51.216:30355',
      'enode://0b0e09d6756b672ac6a8b70895da4fb25090b939578935d4a897497ffaa205e019e068e1ae24ac10d52fa9b8ddb82840d5d990534201a4ad859ee12cb5c91e82@176.9.51.216:30365',
      'enode://b9e893ea9cb4537f4fed154233005ae61b441cd0ecd980136138c304fefac194c25a16b73dac05fc66a4198d0c15dd0f33af99b411882c68a019dfa6bb703b9d@18.130.93.66:30303',
    ],
    list: `${CLASSIC_LISTS}@all.classic.blockd.info`,
  },
  MORDOR: {
    bootnodes: [
      'enode://5e85df7bc6d529647cf9a417162784a89b7ccf2b8e1570fadb6fdf9fa025c8ec2257825d1ec5d7357a6f49898fdfbd9c4c56d22645dbe8b8a6aa67dacbcf3ecc@157.230.152.87:30303',
      'enode://4539a067ae1f6a7ffac509603ba37baf772fc832880ddc67c53f292b6199fb048267f0311c820bc90bfd39ec663bc6b5256bdf787ec38425c82bde6bc2bcfe3c@24.199.107.164:30303',
    ],
    list: `${CLASSIC_LISTS}@all.mordor.blockd.info`,
  },
}
