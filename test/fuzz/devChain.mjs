/** A dev chain that runs transactions repeatedly, each from the same state. */

/** A call takes milliseconds. */
const ANSWER_LIMIT_MS = 60_000

export class DevChain {
  #url
  #snapshot

  /** @param {string} url of a dev chain that supports anvil's methods and impersonates every account */
  constructor(url) {
    this.#url = url
  }

  /** @throws {Error} with the JSON-RPC error */
  async call(method, params = []) {
    const [result] = await this.batch([[method, params]])
    return result
  }

  /**
   * Sends calls that may be executed in any order.
   * @param {[method: string, params: unknown[]][]} calls
   * @returns {Promise<any[]>} their results
   */
  async batch(calls) {
    if (calls.length === 0) return []
    const body = calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    })
    const results = []
    for (const { id, result, error } of await response.json()) {
      if (error !== undefined) throw new Error(`${calls[id][0]}: ${error.message}`)
      results[id] = result
    }
    return results
  }

  /** Reverts to the state before the first case. */
  async restart() {
    if (this.#snapshot !== undefined && !(await this.call('evm_revert', [this.#snapshot]))) {
      throw new Error('the snapshot is gone')
    }
    this.#snapshot = await this.call('evm_snapshot')
  }

  /**
   * Runs a case from the initial state.
   * @param {import('./transactionCase.mjs').TransactionCase} run
   * @param {[method: string, params: unknown[]][]} settings of the next block
   * @returns {Promise<Record<string, unknown>>} the execution fields of the receipt; `refused` when there is none
   */
  async run({ state, transaction }, settings) {
    await this.restart()
    await this.batch([...state, ...settings])
    try {
      return receiptOf(await this.call('eth_sendTransactionSync', [transaction]))
    } catch (error) {
      return { refused: `${error.message}` }
    }
  }
}

function receiptOf({ status, gasUsed, blockNumber, effectiveGasPrice, contractAddress, logs }) {
  return {
    status,
    gasUsed: Number(gasUsed),
    blockNumber: Number(blockNumber),
    effectiveGasPrice: Number(effectiveGasPrice),
    contractAddress: contractAddress ?? null,
    logs: logs.map(({ address, topics, data }) => [address, ...topics, data].join('/')),
  }
}
