import { describe, expect, it } from 'vitest'
import { type OutboundAccount, OutboundBudget } from '../../../../src/rpc/connection/outboundBudget.ts'

const MAX = 1000
const STALL = 50
const URGENT = 10

/** A budget of 1000 bytes, with a clock and checks controlled by the test. */
function open() {
  let now = 0
  let check: (() => void) | undefined
  const ended: string[] = []
  const budget = new OutboundBudget({
    clock: { monotonic: () => now },
    yieldToHost: () => Promise.resolve(),
    timers: {
      schedule: (_delayMs, callback) => {
        check = callback
        return {
          cancel: () => {
            check = undefined
          },
        }
      },
    },
    maxBytes: MAX,
    stallMs: STALL,
    urgentStallMs: URGENT,
  })
  const account = (name: string): OutboundAccount => budget.open({ end: () => ended.push(name) })
  const pass = (ms: number): void => {
    now += ms
    check?.()
  }
  return { budget, account, ended, pass, isChecking: () => check !== undefined }
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await Promise.resolve()
}

describe('the budget of outbound bytes', () => {
  it('lets connections with a backlog begin up to a quarter of it, and others up to half', () => {
    const { account } = open()
    const [behind, other, fresh] = [account('behind'), account('other'), account('fresh')]
    behind.add(150)
    other.add(99)
    expect([behind.mayBegin, fresh.mayBegin]).toEqual([true, true])
    other.add(1)
    expect([behind.mayBegin, fresh.mayBegin]).toEqual([false, true])
    other.add(250)
    expect([behind.mayBegin, fresh.mayBegin]).toEqual([false, false])
    other.sent(1)
    expect(fresh.mayBegin).toBe(true)
  })

  it('lets clients that wait for their answers begin up to three quarters of it, also when they have had to wait', async () => {
    const { account } = open()
    const [other, patient] = [account('other'), account('patient')]
    patient.isPatient = true
    other.add(749)
    expect(patient.mayBegin).toBe(true)
    other.add(1)
    expect(patient.mayBegin).toBe(false)
    let begun = 0
    patient.whenRoom(() => begun++)
    other.sent(1)
    await settle()
    expect(begun).toBe(1)
    patient.add(1)
    expect(patient.mayBegin).toBe(false)
  })

  it('ends the largest immediately when more bytes wait than it allows', () => {
    const { account, ended, budget } = open()
    const [small, large, last] = [account('small'), account('large'), account('last')]
    small.add(300)
    large.add(500)
    last.add(200)
    expect(ended).toEqual([])
    last.add(1)
    expect(ended).toEqual(['large'])
    expect(budget.total).toBe(501)
  })

  it('ends those that do not read when others wait, the largest first, and no more than needed', () => {
    const { account, ended, pass } = open()
    const [idle, larger, reading] = [account('idle'), account('larger'), account('reading')]
    idle.add(50)
    larger.add(100)
    reading.add(150)
    pass(STALL - 1)
    reading.sent(1)
    pass(1)
    expect(ended).toEqual([])
    idle.whenRoom(() => {})
    pass(1)
    expect(ended).toEqual(['larger'])
  })

  it('ends them sooner while nothing may begin, and after a minute in any case', () => {
    const { account, ended, pass, isChecking } = open()
    const [full, small] = [account('full'), account('small')]
    full.add(750)
    pass(URGENT - 1)
    expect(ended).toEqual([])
    pass(1)
    expect(ended).toEqual(['full'])
    small.add(1)
    pass(59_999)
    expect(ended).toEqual(['full'])
    pass(1)
    expect(ended).toEqual(['full', 'small'])
    pass(1)
    expect(isChecking()).toBe(false)
  })

  it('runs waiting work once there is capacity, in order, and none of a closed connection', async () => {
    const { account } = open()
    const [behind, first, second, closed] = [account('behind'), account('first'), account('second'), account('closed')]
    behind.add(600)
    const ran: string[] = []
    first.whenRoom(() => ran.push('first'))
    closed.whenRoom(() => ran.push('closed'))
    second.whenRoom(() => ran.push('second'))
    behind.whenRoom(() => ran.push('behind'))
    closed.close()
    behind.sent(150)
    await settle()
    expect(ran).toEqual(['first', 'second'])
    behind.sent(250)
    await settle()
    expect(ran).toEqual(['first', 'second', 'behind'])
  })

  it('counts unfinished texts until they are released, even after their connection has ended', () => {
    const { account, budget, ended } = open()
    const one = account('one')
    expect(one.hold(700)).toBe(true)
    expect(one.hold(51)).toBe(false)
    one.close()
    expect(budget.total).toBe(700)
    one.release(700)
    expect(budget.total).toBe(0)
    expect(ended).toEqual([])
  })

  it('counts the bytes that a connection reports and those that it measures', () => {
    const { budget } = open()
    let waits = 100
    const both = budget.open({ end: () => {}, measure: () => waits })
    both.add(200)
    both.measure()
    expect([both.backlog, budget.total]).toEqual([300, 300])
    waits = 40
    both.measure()
    both.sent(200)
    expect([both.backlog, budget.total]).toEqual([40, 40])
    both.close()
    expect(budget.total).toBe(0)
  })

  it('polls measured connections, and treats a smaller backlog as progress', () => {
    const { budget, ended, pass, account } = open()
    let waits = 0
    const measured = budget.open({ end: () => ended.push('measured'), measure: () => waits })
    waits = 300
    measured.measure()
    account('waiting').add(10)
    measured.whenRoom(() => {})
    pass(STALL - 1)
    waits = 290
    pass(1)
    pass(STALL - 1)
    expect(ended).toEqual(['waiting'])
    pass(1)
    expect(ended).toEqual(['waiting', 'measured'])
    expect(budget.total).toBe(0)
  })
})
