import { describe, expect, it } from 'vitest'
import { type ForkName, forkRules } from '../../../../src/config/forks.ts'
import { GAS_UNDEFINED } from '../../../../src/evm/native/assembly/layout.ts'
import { staticGas } from '../../../../src/evm/native/gasTable.ts'
import { prepareCommon } from '../../../../src/evm/reference/preparedCommon.ts'
import { FUZZ_FORKS } from '../../../fuzz/forks.mjs'

const FORKS = FUZZ_FORKS as readonly ForkName[]
const LOG_TOPIC_GAS = 375

describe('static gas', () => {
  it.each(FORKS)('of %s agrees with the reference EVM', (name) => {
    const { tables } = prepareCommon(forkRules(name), 1n, undefined)
    const table = staticGas(forkRules(name))
    const differences: string[] = []
    for (let opcode = 0; opcode < 256; opcode++) {
      const info = tables.opcodes.get(opcode)
      const topics = opcode >= 0xa0 && opcode <= 0xa4 ? opcode - 0xa0 : 0
      const expected = info === undefined || info.isInvalid ? GAS_UNDEFINED : info.fee + topics * LOG_TOPIC_GAS
      if (table[opcode] !== expected) differences.push(`${name} ${opcode.toString(16)}`)
    }
    expect(differences).toEqual([])
  })
})
