/**
 * The producer of each consensus engine. Loaded on request, because the dev chain needs none of them.
 * @module
 */

import type { Chain } from '../chain/chain.ts'
import type { ConsensusEngine } from '../chain/engine.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import { NO_BFT_NETWORK } from '../consensus/bft/messages/packets.ts'
import { ValidatorReader } from '../consensus/bft/validatorReader.ts'
import { PowEngine } from '../consensus/pow/pow.ts'
import { BftProducer } from '../sealing/bft/bftProducer.ts'
import { VoteJournal } from '../sealing/bft/voteJournal.ts'
import { BlockTemplate } from '../sealing/blockTemplate.ts'
import { CliqueProducer } from '../sealing/cliqueProducer.ts'
import { CliqueTemplate } from '../sealing/cliqueTemplate.ts'
import type { BlockProducer } from '../sealing/contract.ts'
import { IdleProducer } from '../sealing/idleProducer.ts'
import { PowProducer } from '../sealing/pow/powProducer.ts'
import { WorkBuilder } from '../sealing/pow/workBuilder.ts'
import { SwitchingProducer } from '../sealing/switchingProducer.ts'
import { nextVote } from './bft.ts'
import { cliqueReads } from './clique.ts'
import type { ProducerDeps } from './producerDeps.ts'
import { datasetHost, openSearch } from './sealSearch.ts'

type CreateProducer = (deps: ProducerDeps) => BlockProducer

const PRODUCERS: Readonly<Record<ConsensusEngine['name'], CreateProducer>> = {
  pow: powProducer,
  pos: idleProducer,
  clique: cliqueProducer,
  ibft2: bftProducer,
  qbft: bftProducer,
  ibft: idleProducer,
}

/**
 * Creates the producer of blocks on top of the head, which follows the chain to its other engines.
 * @throws {NodeError} INVALID_OPTION when the host cannot mine as the settings demand
 */
export function engineProducer(deps: ProducerDeps): BlockProducer {
  const { chain, logger } = deps
  datasetHost(deps)
  const select = (): CreateProducer => PRODUCERS[nextEngine(chain).name]
  return changesEngine(chain.config)
    ? new SwitchingProducer({ chain, select, create: (create) => create(deps), logger })
    : select()(deps)
}

function changesEngine({ consensus, options }: ChainConfig): boolean {
  return (
    new Set(consensus.entries.map(({ value }) => value.kind)).size > 1 || options.terminalTotalDifficulty !== undefined
  )
}

function nextEngine({ head: { header, totalDifficulty }, consensus }: Chain): ConsensusEngine {
  const next = { number: header.number + 1n, timestamp: header.timestamp + 1n }
  return consensus.nextBlock(next, totalDifficulty).engine
}

function powProducer(deps: ProducerDeps): BlockProducer {
  const { chain, clock, logger: root, settings } = deps
  const { sealing, pool } = settings
  const engine = nextEngine(chain)
  if (!(engine instanceof PowEngine)) return idleProducer(deps)
  const logger = root.child('miner')
  return new PowProducer({
    ...deps,
    engine,
    logger,
    template: new BlockTemplate(sealing, clock),
    builder: new WorkBuilder({
      ...deps,
      engine,
      logger,
      minOccupancyRatio: sealing.minOccupancyRatio,
      minGasPrice: pool.minGasPrice,
    }),
    search: sealing.remote.stratum === undefined ? openSearch(deps, engine.caches, logger) : undefined,
    limits: sealing.remote,
  })
}

function idleProducer({ clock, logger, settings }: ProducerDeps): BlockProducer {
  return new IdleProducer(new BlockTemplate(settings.sealing, clock), logger.child('miner'))
}

/** A node without a key cannot be a validator. */
function bftProducer(deps: ProducerDeps): BlockProducer {
  const { clock, settings, store, signer, logger, bftNetwork = NO_BFT_NETWORK } = deps
  if (signer === undefined) return idleProducer(deps)
  const validators = new ValidatorReader(deps)
  return new BftProducer({
    ...deps,
    signer,
    logger: logger.child('bft'),
    network: bftNetwork,
    template: new BlockTemplate(settings.sealing, clock),
    journal: new VoteJournal(store),
    validators,
    votes: { next: (parent) => nextVote(parent, deps.votes, validators, signer.address) },
  })
}

/** A node without a key cannot be a signer. */
function cliqueProducer(deps: ProducerDeps): BlockProducer {
  const { chain, settings, signer, logger, clock } = deps
  if (signer === undefined) return idleProducer(deps)
  const template = new CliqueTemplate(new BlockTemplate(settings.sealing, clock), signer.address)
  return new CliqueProducer({
    ...deps,
    signer,
    template,
    reads: cliqueReads(chain),
    logger: logger.child('producer'),
  })
}
