/** A state without anything in memory: the first access of each item throws `StoreMiss` until it has been loaded. */
export class MissingState {
  #state
  #StoreMiss
  #loaded = new Set()

  /**
   * @param {import('../../src/evm/stateDb.ts').StateDB} state
   * @param {typeof import('../../src/base/ports/keyValueStore.ts').StoreMiss} StoreMiss
   */
  constructor(state, StoreMiss) {
    this.#state = state
    this.#StoreMiss = StoreMiss
  }

  /** @param {import('../../src/base/ports/keyValueStore.ts').MissRequest} request */
  load(request) {
    for (const key of request.keys) this.#loaded.add(new TextDecoder().decode(key))
  }

  #need(kind, ...parts) {
    const key = `${kind}/${parts.join('/')}`
    if (this.#loaded.has(key)) return
    throw new this.#StoreMiss({ kind: 'keys', keys: [new TextEncoder().encode(key)] })
  }

  getAccount(address) {
    this.#need('account', address)
    return this.#state.getAccount(address)
  }

  getCode(address) {
    this.#need('account', address)
    this.#need('code', address)
    return this.#state.getCode(address)
  }

  getStorage(address, slot) {
    this.#need('account', address)
    this.#need('slot', address, slot)
    return this.#state.getStorage(address, slot)
  }

  getOriginalStorage(address, slot) {
    this.#need('account', address)
    this.#need('slot', address, slot)
    return this.#state.getOriginalStorage(address, slot)
  }

  hasStorage(address) {
    this.#need('account', address)
    return this.#state.hasStorage(address)
  }

  setBalance(address, balance) {
    this.#need('account', address)
    this.#state.setBalance(address, balance)
  }

  setNonce(address, nonce) {
    this.#need('account', address)
    this.#state.setNonce(address, nonce)
  }

  setCode(address, code) {
    this.#need('account', address)
    this.#state.setCode(address, code)
  }

  setStorage(address, slot, value) {
    this.#need('account', address)
    this.#need('slot', address, slot)
    this.#state.setStorage(address, slot, value)
  }

  clearStorage(address) {
    this.#need('account', address)
    this.#state.clearStorage(address)
  }

  touch(address) {
    this.#need('account', address)
    this.#state.touch(address)
  }

  createAccount(address) {
    this.#need('account', address)
    this.#state.createAccount(address)
  }

  deleteAccount(address) {
    this.#need('account', address)
    this.#state.deleteAccount(address)
  }

  checkpoint() {
    this.#state.checkpoint()
  }

  endSection() {
    this.#state.endSection()
  }

  revert() {
    this.#state.revert()
  }
}
