/**
 * Shrinks a case while it still shows the same difference.
 * @module
 */

/** @typedef {import('./generator.mjs').FuzzCase} FuzzCase */

const copy = (fuzzCase) => structuredClone(fuzzCase)

/**
 * @param {FuzzCase} fuzzCase
 * @param {(candidate: FuzzCase) => Promise<boolean>} shows whether a candidate still shows the difference; false for an
 *   invalid case
 * @param {number} [milliseconds] approximate time limit
 * @returns {Promise<FuzzCase>}
 */
export async function shrink(fuzzCase, shows, milliseconds = 15_000) {
  let best = copy(fuzzCase)
  const end = performance.now() + milliseconds
  const isOver = () => performance.now() >= end
  const attempt = async (candidate) => {
    if (isOver() || !(await shows(candidate))) return false
    best = candidate
    return true
  }
  for (let size = Number.POSITIVE_INFINITY; !isOver() && sizeOf(best) < size; ) {
    size = sizeOf(best)
    for (const change of simplifications(best)) {
      const candidate = copy(best)
      if (change(candidate) !== false) await attempt(candidate)
    }
    for (const name of Object.keys(best.programs)) {
      await removeTokens(() => best, name, attempt)
      await simplifyTokens(() => best, name, attempt)
    }
    dropUnused(best)
  }
  return best
}

function sizeOf(fuzzCase) {
  return JSON.stringify(fuzzCase).length
}

/**
 * Ways to simplify everything except programs.
 * @returns {((candidate: FuzzCase) => unknown)[]}
 */
function simplifications(best) {
  const changes = []
  const set = (from, name, value) => {
    changes.push((candidate) => {
      const target = from(candidate)
      if (target === undefined || target[name] === value) return false
      if (value === undefined) delete target[name]
      else target[name] = value
      return true
    })
  }
  for (const address of Object.keys(best.accounts)) {
    // The sender's nonce has been incremented, so its account must exist.
    if (address === best.message.caller) continue
    set(({ accounts }) => accounts, address, undefined)
    set(({ accounts }) => accounts[address], 'code', undefined)
    for (const field of ['balance', 'nonce']) {
      set(({ accounts }) => accounts[address], field, undefined)
      set(({ accounts }) => accounts[address], field, '1')
    }
    set(({ accounts }) => accounts[address], 'storage', undefined)
    for (const slot of Object.keys(best.accounts[address].storage ?? {})) {
      set(({ accounts }) => accounts[address]?.storage, slot, undefined)
    }
  }
  for (const field of ['transferLogs', 'contractSizeLimit', 'chainId', 'movedPrecompiles', 'comment'])
    set((it) => it, field, undefined)
  set((it) => it, 'drive', 'plain')
  for (const field of ['accessList', 'warmAddresses', 'blobVersionedHashes']) {
    if (best.transaction[field].length > 0) set(({ transaction }) => transaction, field, [])
  }
  set(({ transaction }) => transaction, 'gasPrice', '0')
  set(({ message }) => message, 'value', '0')
  if (best.message.to !== null) set(({ message }) => message, 'data', '0x')
  for (const gas of ['100000', '1000000']) {
    if (best.message.gas.length < gas.length) set(({ message }) => message, 'gas', gas)
  }
  for (const field of ['difficulty', 'excessBlobGas', 'timestamp', 'baseFeePerGas'])
    set(({ block }) => block, field, '0')
  if (best.block.difficulty === '0') set(({ block }) => block, 'prevRandao', '00'.repeat(32))
  return changes
}

/** Removes runs of tokens, long ones first. */
async function removeTokens(best, name, attempt) {
  for (let run = best().programs[name].length; run >= 1; run = Math.floor(run / 2)) {
    for (let at = 0; at < best().programs[name].length; ) {
      const candidate = copy(best())
      candidate.programs[name].splice(at, run)
      if (!(await attempt(candidate))) at += run
    }
  }
}

async function simplifyTokens(best, name, attempt) {
  for (let at = 0; at < best().programs[name].length; at++) {
    for (const simpler of simplerTokens(best().programs[name][at])) {
      const candidate = copy(best())
      candidate.programs[name][at] = simpler
      if (await attempt(candidate)) break
    }
  }
}

function simplerTokens(token) {
  const [word, argument = ''] = token.split(' ')
  if (word === 'PUSH' && !argument.startsWith('@')) {
    const trimmed = `PUSH 0x${argument.slice(2).replace(/^(?:00)+(?=..)/, '')}`
    return ['PUSH 0x00', 'PUSH 0x01', trimmed].filter((simpler) => simpler.length < token.length)
  }
  if (word === 'DATA' && argument.length > 4) {
    const half = 2 + 2 * Math.floor((argument.length - 2) / 4)
    return [`DATA ${argument.slice(0, half)}`]
  }
  // Opcodes that only read the environment may be replaced by any number.
  const leaf =
    /^(?:GAS|PC|MSIZE|CALLER|ADDRESS|ORIGIN|NUMBER|TIMESTAMP|COINBASE|GASPRICE|CODESIZE|PREVRANDAO|GASLIMIT)$/
  return leaf.test(word) ? ['PUSH 0x00'] : []
}

/** Removes unused programs. */
function dropUnused({ programs, accounts, message }) {
  const used = new Set()
  const use = (name) => {
    if (used.has(name) || programs[name] === undefined) return
    used.add(name)
    for (const token of programs[name]) if (/^(?:CODE|SIZE) /.test(token)) use(token.split(' ')[1])
  }
  for (const { code } of Object.values(accounts)) if (code !== undefined) use(code)
  use(message.data)
  for (const name of Object.keys(programs)) if (!used.has(name)) delete programs[name]
}
