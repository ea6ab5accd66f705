/** A bank line that is split between several payers, and that another download of the account contains too. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { RegNo } from '../../../../engine/index.ts'
import type {
  RegisterResponse,
  ReviewsResponse,
  StatementDecisionResponse,
  StatementResponse,
  StatementUploadResponse,
} from '../../../../engine/api.ts'
import { hasPostgres, startPostgres } from '../../storage/postgres-server.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { readCsvHere } from '../read-csv-here.ts'

readCsvHere()

const EVENT = 'lekhacon2027'
const eventFile = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'events', `${EVENT}.yaml`),
  'utf8',
)
const FEE = 4720
const DATABASES = hasPostgres ? (['SQLite', 'PostgreSQL'] as const) : (['SQLite'] as const)
type View = Extract<StatementResponse, { unchanged: false }>
type Part = readonly [regNo: string, amount: number]

describe.each(DATABASES)('on %s', (database) => {
  let server: TestApp
  let office: Office
  let stop: () => Promise<void> = async () => {}
  let counter = 0
  beforeAll(async () => {
    const events = { [`${EVENT}.yaml`]: eventFile }
    if (database === 'PostgreSQL') {
      const postgres = await startPostgres()
      stop = () => postgres.stop()
      const variables = { DATABASE_URL: await postgres.database('splits') }
      server = await startTestApp({ clock: '2027-01-10', events, variables })
    } else server = await startTestApp({ clock: '2027-01-10', events })
    office = await signIn(server)
  })
  afterAll(async () => {
    await server.close()
    await stop()
  })

  const createUtr = (): string => String(526_777_000_000 + ++counter)
  const register = async (): Promise<RegNo> => {
    counter += 1
    const response = await server.post(`/api/${EVENT}/register/`, {
      full_name: `Delegate Zyxw${counter}`,
      email: `delegate${counter}@delegate.example`,
      phone_number: '9847000000',
      registered_as: 'member',
      way: 'transfer',
    })
    return response.json<RegisterResponse>().reg_no as RegNo
  }
  const registerMany = async (count: number): Promise<readonly RegNo[]> => {
    const regNos: RegNo[] = []
    while (regNos.length < count) regNos.push(await register())
    return regNos
  }
  const post = async <T>(url: string, payload: string | object): Promise<T> => {
    const headers = {
      authorization: `Bearer ${office.token}`,
      'content-type': typeof payload === 'string' ? 'text/csv' : 'application/json',
    }
    const response = await server.app.inject({ method: 'POST', url, headers, payload })
    expect(response.statusCode, response.body).toBe(200)
    return response.json<T>()
  }
  const uploadStatement = async (header: string, row: string): Promise<View> => {
    const file = [header, row].join('\n')
    const upload = (await post<StatementUploadResponse>('/admin/statements/', file)) as {
      id: number
    }
    return readStatement(upload.id)
  }
  const readStatement = async (id: number): Promise<View> =>
    (await office.json(`/admin/statements/${id}/`)) as unknown as View
  const uploadFirstDownload = (utr: string, amount: number) =>
    uploadStatement(
      'Date,Narration,Ref,Withdrawal Amt,Deposit Amt',
      `09/01/27,NEFT CR-${utr}-CITY HOSPITAL,${utr},,${amount}`,
    )
  const uploadSecondDownload = (utr: string, amount: number) =>
    uploadStatement(
      'Withdrawal,Narration,Deposit,Date,Reference',
      `,BY TRANSFER-NEFT*${utr}*CITY HOSPITAL,${amount},09/01/27,${utr}`,
    )
  /** A download whose bank prints the number in groups, in the narration only. */
  const uploadDownloadWithGroups = (utr: string, amount: number) =>
    uploadStatement(
      'Date,Narration,Withdrawal Amt,Deposit Amt',
      `09/01/27,NEFT INWARD UTR ${utr.slice(0, 8)} ${utr.slice(8)} CITY,,${amount}`,
    )
  const assign = (view: View, ...parts: readonly Part[]) =>
    post<StatementDecisionResponse>(`/admin/statements/${view.statement.id}/assign/`, {
      lines: parts.map(([regNo, amount]) => ({
        line: view.lines[0]?.id,
        seen: view.lines[0]?.decision?.id ?? null,
        reg_no: regNo,
        amount,
      })),
    })
  const sumRecorded = async (...regNos: readonly RegNo[]): Promise<number> => {
    const captures = await Promise.all(regNos.map((regNo) => server.deps.store.captures(regNo)))
    return captures.flat().reduce((sum, { amount }) => sum + amount, 0) / 100
  }

  test.each([
    [2, 'another narration', uploadSecondDownload],
    [3, 'another narration', uploadSecondDownload],
    [2, 'its number in groups', uploadDownloadWithGroups],
    [3, 'its number in groups', uploadDownloadWithGroups],
  ] as const)(
    'a line that was split between %d people is complete in a second download with %s',
    async (count, _, uploadAgain) => {
      const [utr, payers] = [createUtr(), await registerMany(count)]
      const first = await uploadFirstDownload(utr, count * FEE)
      const parts = payers.map((regNo): Part => [regNo, FEE])
      expect((await assign(first, ...parts)).message).toBe('1 line assigned.')
      const second = await uploadAgain(utr, count * FEE)
      expect(second.lines).toMatchObject([{ state: 'assigned', left: 0, why: null, proposals: [] }])
      expect(second.lines[0]?.id).not.toBe(first.lines[0]?.id)
      expect(second.lines[0]?.payments.map(({ reg_no: regNo }) => regNo)).toEqual(payers)
      const unpaid = await register()
      const result = await assign(second, [unpaid, (count - 1) * FEE])
      expect(result).toMatchObject({ done: [], refused: [{ line: 2 }] })
      expect(await sumRecorded(...payers, unpaid)).toBe(count * FEE)
      expect((await readStatement(first.statement.id)).totals).toMatchObject({
        assigned: { lines: 1, amount: count * FEE },
        left: { lines: 0, amount: 0 },
      })
    },
  )

  test('a split with an unknown registration records none of its parts, in either order', async () => {
    const [regNo, unknownNo] = [await register(), 'LEKH0000000000009']
    const view = await uploadFirstDownload(createUtr(), 2 * FEE)
    const parts: readonly Part[] = [
      [regNo, FEE],
      [unknownNo, FEE],
    ]
    for (const order of [parts, parts.toReversed()]) {
      const result = await assign(view, ...order)
      expect(result.message).toBe('0 lines assigned; 1 failed, for the reasons below.')
      expect(result.refused[0]?.message).toBe(`${unknownNo}: No registration has this number.`)
    }
    expect(await sumRecorded(regNo)).toBe(0)
    expect((await readStatement(view.statement.id)).lines).toMatchObject([
      { left: 2 * FEE, decision: null },
    ])
  })

  test('a split with a paid registration states that one part needs review', async () => {
    const [regNo = '', paid = ''] = await registerMany(2)
    await assign(await uploadFirstDownload(createUtr(), FEE), [paid, FEE])
    const view = await uploadFirstDownload(createUtr(), 2 * FEE)
    expect((await assign(view, [regNo, FEE], [paid, FEE])).message).toBe(
      '1 line assigned in part and in part sent for review.',
    )
    const whole = await uploadFirstDownload(createUtr(), FEE)
    expect((await assign(whole, [paid, FEE])).message).toBe('1 line sent for review.')
  })

  test('if a part of a split fails after another one was recorded, the response names the recorded part', async () => {
    const [a = '', b = '', c = ''] = await registerMany(3)
    const view = await uploadFirstDownload(createUtr(), 3 * FEE)
    const original = server.deps.store.recordPayment
    const failing = vi.spyOn(server.deps.store, 'recordPayment')
    failing.mockImplementationOnce(original)
    failing.mockImplementationOnce(async () => ({
      ok: false,
      error: { code: 'not_now', message: 'It was cancelled.' },
    }))
    const result = await assign(view, [a, FEE], [b, FEE], [c, FEE])
    failing.mockRestore()
    expect(result.refused[0]?.message).toBe(
      `Recorded: ${a} (₹\u00a04,720). Not recorded: ${b}: It was cancelled.`,
    )
    expect(await sumRecorded(a as RegNo, b as RegNo, c as RegNo)).toBe(FEE)
    const open = await readStatement(view.statement.id)
    expect(open.lines).toMatchObject([{ left: 2 * FEE }])
    expect((await assign(open, [b, FEE], [c, FEE])).message).toBe('1 line assigned.')
  })

  test('while one download of a line is assigned, another download cannot count the same amount again', async () => {
    const utr = createUtr()
    const [a = '', b = '', c = ''] = await registerMany(3)
    const first = await uploadFirstDownload(utr, 2 * FEE)
    const { store } = server.deps
    const { recordPayment } = store
    const spy = vi.spyOn(store, 'recordPayment')
    let otherResult: StatementDecisionResponse | undefined
    // A colleague loads the other download when only the first part is recorded.
    spy.mockImplementationOnce(async (...args) => {
      const result = await recordPayment(...args)
      const second = await uploadSecondDownload(utr, 2 * FEE)
      expect(second.lines).toMatchObject([{ state: 'left', left: FEE }])
      otherResult = await assign(second, [c, FEE])
      return result
    })
    const result = await assign(first, [a, FEE], [b, FEE])
    spy.mockRestore()
    expect(otherResult).toMatchObject({ refused: [] })
    expect(result.done).toEqual([])
    expect(result.refused[0]?.message).toContain(
      `${b}: ₹\u00a09,440 of this bank line is already recorded, and the bank received ₹\u00a09,440.`,
    )
    expect(await sumRecorded(a as RegNo, b as RegNo, c as RegNo)).toBe(2 * FEE)
    const { lines } = await readStatement(first.statement.id)
    expect(lines).toMatchObject([
      { state: 'assigned', left: 0, payments: [{ reg_no: a }, { reg_no: c }] },
    ])
    // The bank returns the whole line.
    await uploadStatement(
      'Date,Narration,Ref,Withdrawal Amt,Deposit Amt',
      `10/01/27,NEFT RTN ${utr},,${2 * FEE},`,
    )
    const { reviews } = (await office.json('/admin/reviews/')) as unknown as ReviewsResponse
    const returned = reviews.flatMap(({ kind, reg_no: regNo }) =>
      kind === 'returned' ? [regNo] : [],
    )
    expect(returned.toSorted()).toEqual([a, c].toSorted())
  })

  test('two downloads of a line that are assigned at the same time count it once', async () => {
    const utr = createUtr()
    const payers = await registerMany(4)
    const [a = '', b = '', c = '', d = ''] = payers
    const first = await uploadFirstDownload(utr, 2 * FEE)
    const second = await uploadSecondDownload(utr, 2 * FEE)
    await Promise.all([assign(first, [a, FEE], [b, FEE]), assign(second, [c, FEE], [d, FEE])])
    expect(await sumRecorded(...payers)).toBeLessThanOrEqual(2 * FEE)
  })
})

test('a split with a registration in another currency records none of its parts', async () => {
  const file = join(import.meta.dirname, '..', '..', '..', 'events', 'dunecon2027.yaml')
  const events = { 'dunecon2027.yaml': readFileSync(file, 'utf8') }
  const server = await startTestApp({ clock: '2027-07-20', events })
  const { token } = await signIn(server)
  const post = async <T>(url: string, payload: string | object): Promise<T> => {
    const type = typeof payload === 'string' ? 'text/csv' : 'application/json'
    const headers = { authorization: `Bearer ${token}`, 'content-type': type }
    return (await server.app.inject({ method: 'POST', url, headers, payload })).json<T>()
  }
  const register = async (country: string, way: string): Promise<RegNo> => {
    const response = await server.post('/api/dunecon2027/register/', {
      full_name: `Asha ${country}`,
      email: `${country}@delegate.example`,
      phone_number: '+91 98765 43210',
      country,
      privacy_consent: 'true',
      way,
    })
    return response.json<RegisterResponse>().reg_no as RegNo
  }
  const [regNo, foreignNo] = [await register('india', 'transfer'), await register('other', 'wire')]
  const { id } = await post<{ id: number }>(
    '/admin/statements/?statement_currency=INR',
    'Date,Narration,Ref,Withdrawal Amt,Deposit Amt\n19/07/27,NEFT CITY,526777999001,,14160',
  )
  const [line] = await server.deps.store.bankStatementLines(id)
  const result = await post<StatementDecisionResponse>(`/admin/statements/${id}/assign/`, {
    lines: [regNo, foreignNo].map((number) => ({
      line: line?.id,
      seen: null,
      reg_no: number,
      amount: 7080,
    })),
  })
  expect(result).toMatchObject({
    done: [],
    refused: [{ message: `${foreignNo}: This payment is in INR, and the registration is in USD.` }],
  })
  expect(await server.deps.store.captures(regNo)).toEqual([])
  await server.close()
})
