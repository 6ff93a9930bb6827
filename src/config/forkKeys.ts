/**
 * The keys of forks in genesis files, and the required order of forks.
 * @see docs/reference/pow-ethash.md section 5
 * @module
 */
import type { ForkName } from './forks.ts'

export interface ForkKey {
  /** lower case */
  readonly key: string
  readonly fork: ForkName
  /** Name in the error message of the order check; undefined: the fork is not checked. */
  readonly title?: string
}

/** In order: of two forks at one block the later row applies. */
export const MAINNET_BLOCK_KEYS: readonly ForkKey[] = [
  { key: 'homesteadblock', fork: 'homestead', title: 'Homestead' },
  { key: 'daoforkblock', fork: 'dao', title: 'DaoFork' },
  { key: 'eip150block', fork: 'tangerineWhistle', title: 'TangerineWhistle' },
  { key: 'eip158block', fork: 'spuriousDragon', title: 'SpuriousDragon' },
  { key: 'byzantiumblock', fork: 'byzantium', title: 'Byzantium' },
  { key: 'constantinopleblock', fork: 'constantinople', title: 'Constantinople' },
  { key: 'petersburgblock', fork: 'petersburg', title: 'Petersburg' },
  { key: 'istanbulblock', fork: 'istanbul', title: 'Istanbul' },
  { key: 'muirglacierblock', fork: 'muirGlacier', title: 'MuirGlacier' },
  { key: 'berlinblock', fork: 'berlin', title: 'Berlin' },
  { key: 'londonblock', fork: 'london', title: 'London' },
  { key: 'arrowglacierblock', fork: 'arrowGlacier', title: 'ArrowGlacier' },
  { key: 'grayglacierblock', fork: 'grayGlacier', title: 'GrayGlacier' },
  { key: 'mergenetsplitblock', fork: 'paris' },
]

export const TIME_KEYS: readonly ForkKey[] = [
  { key: 'shanghaitime', fork: 'shanghai', title: 'Shanghai' },
  { key: 'cancuntime', fork: 'cancun', title: 'Cancun' },
  { key: 'praguetime', fork: 'prague', title: 'Prague' },
  { key: 'osakatime', fork: 'osaka', title: 'Osaka' },
  { key: 'bpo1time', fork: 'bpo1', title: 'BPO1' },
  { key: 'bpo2time', fork: 'bpo2', title: 'BPO2' },
  { key: 'bpo3time', fork: 'bpo3', title: 'BPO3' },
  { key: 'bpo4time', fork: 'bpo4', title: 'BPO4' },
  { key: 'bpo5time', fork: 'bpo5', title: 'BPO5' },
  // Unscheduled EIPs run with the newest fork.
  { key: 'futureeipstime', fork: 'osaka', title: 'FutureEips' },
  { key: 'experimentaleipstime', fork: 'osaka', title: 'ExperimentalEips' },
]

export const CLASSIC_BLOCK_KEYS: readonly ForkKey[] = [
  { key: 'classicforkblock', fork: 'classicForkBlock' },
  { key: 'ecip1015block', fork: 'ecip1015', title: 'ClassicTangerineWhistle' },
  { key: 'diehardblock', fork: 'dieHard', title: 'DieHard' },
  { key: 'gothamblock', fork: 'gotham', title: 'Gotham' },
  { key: 'ecip1041block', fork: 'ecip1041', title: 'DefuseDifficultyBomb' },
  { key: 'atlantisblock', fork: 'atlantis', title: 'Atlantis' },
  { key: 'aghartablock', fork: 'agharta', title: 'Agharta' },
  { key: 'phoenixblock', fork: 'phoenix', title: 'Phoenix' },
  { key: 'thanosblock', fork: 'thanos', title: 'Thanos' },
  { key: 'magnetoblock', fork: 'magneto', title: 'Magneto' },
  { key: 'mystiqueblock', fork: 'mystique', title: 'Mystique' },
  { key: 'spiralblock', fork: 'spiral', title: 'Spiral' },
]
