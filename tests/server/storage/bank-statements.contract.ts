/** Store contract for saved bank statements: their lines, decisions on them, and the parts of a split line. */
import { beforeEach, expect, test } from 'vitest'
import { INR, toBankKey, day, toAmount } from '../../../engine/index.ts'
import type { RegNo } from '../../../engine/index.ts'
import type { Store } from '../../../server/storage/index.ts'
import { HOUR_MS, addMs, noon, registerSample } from '../sample-registrations.ts'
import type { ContractSetup } from './contract-setup.ts'
import { due } from './payment-decisions.ts'

export function defineBankStatementsContract(setUp: ContractSetup): void {
  let store: Store
  beforeEach(() => {
    store = setUp().store
  })
  const buildConfirmation = (regNo: RegNo) =>
    ({
      regNo,
      act: 'confirm',
      actor: 'treasurer',
      who: 'treasurer',
      why: '',
      idempotencyKey: null,
    }) as const
  const buildBankStatement = (sha256: string, narrations: readonly string[]) => ({
    sha256,
    currency: INR,
    events: ['demo'],
    bank: '',
    firstDay: day('2026-01-30'),
    lastDay: day('2026-01-30'),
    details: [],
    unread: [],
    repeated: [],
    who: 'treasurer',
    at: noon,
    rows: narrations.map((narration, index) => ({
      line: index + 2,
      day: day('2026-01-30'),
      narration,
      reference: '',
      amount: due,
      isWithdrawal: false,
    })),
  })

  test('a bank statement is saved once, and a line that is in several statements is stored once', async () => {
    const firstId = await store.saveBankStatement(buildBankStatement('one', ['A', 'B']))
    expect(await store.saveBankStatement(buildBankStatement('one', ['A', 'B']))).toBe(firstId)
    const secondId = await store.saveBankStatement(buildBankStatement('two', ['B', 'C']))
    const [lines, otherLines] = await Promise.all(
      [firstId, secondId].map((id) => store.bankStatementLines(id)),
    )
    expect(lines?.[1]?.id).toBe(otherLines?.[0]?.id)
    expect(lines?.map(({ narration }) => narration)).toEqual(['A', 'B'])
  })

  test('the parts of a line never exceed it, whichever download of the line they are recorded from', async () => {
    const statements = [
      await store.saveBankStatement(buildBankStatement('one', ['NEFT 1'])),
      await store.saveBankStatement(buildBankStatement('two', ['BY TRANSFER 1'])),
    ]
    const record = async (index: number, part: number, amount: number) => {
      const [line] = await store.bankStatementLines(statements[index] ?? 0)
      const { regNo } = await registerSample(store, { way: 'transfer' })
      const reference = part === 1 ? '512345678901' : `512345678901x${part}`
      return store.recordPayment(
        { ...buildConfirmation(regNo), at: addMs(HOUR_MS) },
        {
          method: 'transfer',
          reference,
          amount: toAmount(amount),
          paidAt: noon,
          bankLine: { id: line?.id ?? 0, references: ['512345678901'], payments: [] },
        },
        null,
      )
    }
    expect(await record(0, 1, 100)).toMatchObject({ ok: true })
    expect(await record(1, 2, due - 200)).toMatchObject({ ok: true })
    const message = expect.stringContaining('of this bank line is already recorded')
    expect(await record(0, 3, 101)).toMatchObject({ ok: false, error: { message } })
    expect(await record(1, 3, 101)).toMatchObject({ ok: false, error: { message } })
    expect(await record(1, 3, 100)).toMatchObject({ ok: true })
    // All parts are linked to one line, so a withdrawal that returns one of them returns all.
    const [payment] = await store.paymentsUnderKeys([toBankKey('512345678901')])
    expect(await store.otherPartsOfLines([payment?.id ?? 0])).toHaveLength(2)
  })

  test('a decision on a line is rejected if another user has decided on it since the page was opened', async () => {
    const id = await store.saveBankStatement(buildBankStatement('one', ['A']))
    const [storedLine] = await store.bankStatementLines(id)
    const decision = { lineId: storedLine?.id ?? 0, seen: null, parts: [], at: addMs(HOUR_MS) }
    const firstDecision = await store.decideBankLine({
      ...decision,
      decision: 'not_ours',
      who: 'anna',
    })
    expect(firstDecision).toMatchObject({ ok: true })
    expect(
      await store.decideBankLine({ ...decision, decision: 'assigned', who: 'ben' }),
    ).toMatchObject({ ok: false, error: { decision: 'not_ours', who: 'anna' } })
    expect(await store.bankStatementLines(id)).toMatchObject([{ decision: { who: 'anna' } }])
  })
}
