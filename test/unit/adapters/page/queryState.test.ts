import { describe, expect, it } from 'vitest'
import { INITIAL, nextState, type QueryEvent, type QueryState } from '../../../../adapters/page/state/queryState.ts'

const error = new Error('no')

function stateAfter(...events: readonly QueryEvent<number>[]): QueryState<number> {
  return events.reduce<QueryState<number>>(nextState, INITIAL)
}

describe('the states of a question', () => {
  it('become slow, and then say what they wait for', () => {
    expect(stateAfter({ type: 'slow' }).phase).toBe('slow')
    expect(stateAfter({ type: 'slow' }, { type: 'waiting' }).phase).toBe('waiting')
  })

  it('keep data in sight while the same question is asked again', () => {
    const again = stateAfter({ type: 'answered', data: 1 }, { type: 'asked', isSame: true }, { type: 'slow' })
    expect(again).toMatchObject({ phase: 'ready', data: 1 })
  })

  it('do not change while data in sight are asked for again', () => {
    const before = stateAfter({ type: 'answered', data: 1 })
    expect(nextState(before, { type: 'asked', isSame: true })).toBe(before)
  })

  it('drop the data of another question', () => {
    expect(stateAfter({ type: 'answered', data: 1 }, { type: 'asked', isSame: false })).toEqual(INITIAL)
  })

  it('keep the last data while the node is away, and not after an error', () => {
    const away = stateAfter({ type: 'answered', data: 1 }, { type: 'failed', phase: 'disconnected', error })
    expect(away).toMatchObject({ phase: 'disconnected', data: 1 })
    const failed = stateAfter({ type: 'answered', data: 1 }, { type: 'failed', phase: 'failed', error })
    expect(failed).toMatchObject({ phase: 'failed', data: undefined, error })
  })

  it('say that the thing is gone when the node knows none', () => {
    expect(stateAfter({ type: 'answered', data: 1 }, { type: 'answered', data: null })).toMatchObject({
      phase: 'gone',
      data: undefined,
    })
  })

  it('stop', () => {
    expect(stateAfter({ type: 'slow' }, { type: 'stopped' }).phase).toBe('stopped')
    expect(stateAfter({ type: 'stopped' }, { type: 'waiting' }).phase).toBe('stopped')
  })
})
