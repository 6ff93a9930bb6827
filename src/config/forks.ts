/**
 * Forks as data: each is its parent plus a list of EIPs and a few parameters. No other code depends on fork names; it
 * checks whether an EIP is active or reads a parameter.
 * @see docs/reference/pow-ethash.md sections 2 and 3, EIP-2 … EIP-7951, ECIP-1015 … ECIP-1105
 * @module
 */

export type ForkName =
  | 'frontier'
  | 'homestead'
  | 'dao'
  | 'tangerineWhistle'
  | 'spuriousDragon'
  | 'byzantium'
  | 'constantinople'
  | 'petersburg'
  | 'istanbul'
  | 'muirGlacier'
  | 'berlin'
  | 'london'
  | 'arrowGlacier'
  | 'grayGlacier'
  | 'paris'
  | 'shanghai'
  | 'cancun'
  | 'prague'
  | 'osaka'
  | 'bpo1'
  | 'bpo2'
  | 'bpo3'
  | 'bpo4'
  | 'bpo5'
  | 'classicForkBlock'
  | 'ecip1015'
  | 'dieHard'
  | 'gotham'
  | 'ecip1041'
  | 'atlantis'
  | 'agharta'
  | 'phoenix'
  | 'thanos'
  | 'magneto'
  | 'mystique'
  | 'spiral'

/** Parameters of the proof-of-work difficulty formula. */
export interface DifficultyRule {
  readonly formula: 'frontier' | 'homestead' | 'byzantium'
  /**
   * The exponential term. `delay`: blocks subtracted from the block number before the period is computed (EIP-649 and
   * its successors); `period`: the period is fixed (ECIP-1010); `shift`: periods subtracted (ECIP-1010, after Gotham).
   */
  readonly bomb:
    | { readonly kind: 'delay'; readonly blocks: bigint }
    | { readonly kind: 'paused'; readonly period: bigint }
    | { readonly kind: 'shift'; readonly periods: bigint }
    | { readonly kind: 'none' }
}

/** EIP-7840: blobs per block and the update rate of the blob base fee. */
export interface BlobParameters {
  readonly target: bigint
  readonly max: bigint
  readonly baseFeeUpdateFraction: bigint
}

/** All parameters of a fork. */
export interface ForkRules {
  readonly name: ForkName
  /** All active EIPs, including those of the ancestors. */
  readonly eips: ReadonlySet<number>
  readonly difficulty: DifficultyRule
  /** Static block reward, wei; 0 under proof of stake. */
  readonly blockReward: bigint
  /** ECIP-1017: rewards decrease by a fifth per era. */
  readonly eraRewards: boolean
  /** ECIP-1099: ethash epochs of 60,000 blocks. */
  readonly longEpochs: boolean
  /** undefined before Cancun. */
  readonly blobs: BlobParameters | undefined
}

interface ForkDefinition {
  readonly parent?: ForkName
  readonly adds?: readonly number[]
  readonly removes?: readonly number[]
  readonly difficulty?: DifficultyRule
  readonly blockReward?: bigint
  readonly eraRewards?: boolean
  readonly longEpochs?: boolean
  readonly blobs?: BlobParameters
}

const ETHER = 10n ** 18n

const byzantiumFormula = (blocks: bigint): DifficultyRule => ({ formula: 'byzantium', bomb: { kind: 'delay', blocks } })

const PRAGUE_BLOBS: BlobParameters = { target: 6n, max: 9n, baseFeeUpdateFraction: 5_007_716n }

/**
 * The whole history, one row per fork. EIP-3607 forbids transactions that no chain contains; it belongs to the fork at
 * which clients adopted it, so that earlier test vectors are unaffected. EIP-7610 applies from the first block.
 */
const DEFINITIONS: Readonly<Record<ForkName, ForkDefinition>> = {
  frontier: {
    adds: [7610],
    difficulty: { formula: 'frontier', bomb: { kind: 'delay', blocks: 0n } },
    blockReward: 5n * ETHER,
  },
  homestead: {
    parent: 'frontier',
    adds: [2, 7],
    difficulty: { formula: 'homestead', bomb: { kind: 'delay', blocks: 0n } },
  },
  dao: { parent: 'homestead' },
  tangerineWhistle: { parent: 'homestead', adds: [150] },
  spuriousDragon: { parent: 'tangerineWhistle', adds: [155, 160, 161, 170] },
  byzantium: {
    parent: 'spuriousDragon',
    adds: [100, 140, 196, 197, 198, 211, 214, 649, 658],
    difficulty: byzantiumFormula(3_000_000n),
    blockReward: 3n * ETHER,
  },
  constantinople: {
    parent: 'byzantium',
    adds: [145, 1014, 1052, 1234, 1283],
    difficulty: byzantiumFormula(5_000_000n),
    blockReward: 2n * ETHER,
  },
  petersburg: { parent: 'constantinople', removes: [1283] },
  istanbul: { parent: 'petersburg', adds: [152, 1108, 1344, 1884, 2028, 2200] },
  muirGlacier: { parent: 'istanbul', adds: [2384], difficulty: byzantiumFormula(9_000_000n) },
  berlin: { parent: 'muirGlacier', adds: [2565, 2718, 2929, 2930] },
  london: { parent: 'berlin', adds: [1559, 3198, 3529, 3541, 3554, 3607], difficulty: byzantiumFormula(9_700_000n) },
  arrowGlacier: { parent: 'london', adds: [4345], difficulty: byzantiumFormula(10_700_000n) },
  grayGlacier: { parent: 'arrowGlacier', adds: [5133], difficulty: byzantiumFormula(11_400_000n) },
  paris: { parent: 'grayGlacier', adds: [3675, 4399], blockReward: 0n },
  shanghai: { parent: 'paris', adds: [3651, 3855, 3860, 4895] },
  cancun: {
    parent: 'shanghai',
    adds: [1153, 4788, 4844, 5656, 6780, 7516],
    blobs: { target: 3n, max: 6n, baseFeeUpdateFraction: 3_338_477n },
  },
  prague: {
    parent: 'cancun',
    adds: [2537, 2935, 6110, 7002, 7251, 7623, 7685, 7691, 7702],
    blobs: PRAGUE_BLOBS,
  },
  osaka: { parent: 'prague', adds: [7594, 7823, 7825, 7883, 7918, 7934, 7939, 7951], blobs: PRAGUE_BLOBS },
  bpo1: { parent: 'osaka', blobs: { target: 10n, max: 15n, baseFeeUpdateFraction: 8_346_193n } },
  bpo2: { parent: 'bpo1', blobs: { target: 14n, max: 21n, baseFeeUpdateFraction: 11_684_671n } },
  bpo3: { parent: 'bpo2' },
  bpo4: { parent: 'bpo3' },
  bpo5: { parent: 'bpo4' },
  classicForkBlock: { parent: 'homestead' },
  ecip1015: { parent: 'classicForkBlock', adds: [150] },
  dieHard: {
    parent: 'ecip1015',
    adds: [155, 160],
    difficulty: { formula: 'homestead', bomb: { kind: 'paused', period: 30n } },
  },
  gotham: {
    parent: 'dieHard',
    difficulty: { formula: 'homestead', bomb: { kind: 'shift', periods: 20n } },
    eraRewards: true,
  },
  ecip1041: { parent: 'gotham', difficulty: { formula: 'homestead', bomb: { kind: 'none' } } },
  atlantis: {
    parent: 'ecip1041',
    adds: [100, 140, 161, 170, 196, 197, 198, 211, 214, 658],
    difficulty: { formula: 'byzantium', bomb: { kind: 'none' } },
  },
  agharta: { parent: 'atlantis', adds: [145, 1014, 1052] },
  phoenix: { parent: 'agharta', adds: [152, 1108, 1344, 1884, 2028, 2200] },
  thanos: { parent: 'phoenix', longEpochs: true },
  magneto: { parent: 'thanos', adds: [2565, 2718, 2929, 2930] },
  mystique: { parent: 'magneto', adds: [3529, 3541, 3607] },
  spiral: { parent: 'mystique', adds: [3651, 3855, 3860] },
}

const rulesByFork = new Map<ForkName, ForkRules>()

/** The rules of a fork with its default parameters. */
export function forkRules(name: ForkName): ForkRules {
  const resolvedRules = rulesByFork.get(name)
  if (resolvedRules !== undefined) return resolvedRules
  const definition = DEFINITIONS[name]
  const parent = definition.parent === undefined ? undefined : forkRules(definition.parent)
  const eips = new Set(parent?.eips)
  for (const eip of definition.adds ?? []) eips.add(eip)
  for (const eip of definition.removes ?? []) eips.delete(eip)
  const rules: ForkRules = {
    name,
    eips,
    difficulty: definition.difficulty ?? (parent as ForkRules).difficulty,
    blockReward: definition.blockReward ?? (parent as ForkRules).blockReward,
    eraRewards: definition.eraRewards ?? parent?.eraRewards ?? false,
    longEpochs: definition.longEpochs ?? parent?.longEpochs ?? false,
    blobs: definition.blobs ?? parent?.blobs,
  }
  rulesByFork.set(name, rules)
  return rules
}
