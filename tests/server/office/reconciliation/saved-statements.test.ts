/** A saved bank statement for two events that share an account, on both databases. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { RegNo } from '../../../../engine/index.ts'
import type {
  RegisterResponse,
  ReviewsResponse,
  StatementDecisionResponse,
  StatementResponse,
  StatementsResponse,
  StatementUploadResponse,
  WireStatementLine,
} from '../../../../engine/api.ts'
import { hasPostgres, startPostgres } from '../../storage/postgres-server.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { hashCheaply, PASSWORD, signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { readCsvHere } from '../read-csv-here.ts'

readCsvHere()

const EVENT_IDS = ['lekhacon2027', 'bimacon2027'] as const
const eventFile = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'events', `${EVENT_IDS[0]}.yaml`),
  'utf8',
)
const FEE = 4720
const HEADER =
  'HDFC BANK Ltd,,,,\nAccount No: 50200012345678,,,,\nDate,Narration,Ref,Withdrawal Amt,Deposit Amt'
/** The number of lines of each kind. On PostgreSQL, fewer lines make the same steps ten times as fast. */
const LINE_COUNTS = {
  SQLite: { numbered: 269, unnumbered: 20, splits: 6 },
  PostgreSQL: { numbered: 24, unnumbered: 5, splits: 2 },
}
const NOT_OURS_COUNT = 5
const DATABASES = hasPostgres ? (['SQLite', 'PostgreSQL'] as const) : (['SQLite'] as const)

type View = Extract<StatementResponse, { unchanged: false }>
type Person = { readonly regNo: RegNo; readonly name: string }

describe.each(DATABASES)('on %s', (database) => {
  const {
    numbered: NUMBERED_COUNT,
    unnumbered: UNNUMBERED_COUNT,
    splits: SPLIT_COUNT,
  } = LINE_COUNTS[database]
  const LINE_COUNT = NUMBERED_COUNT + UNNUMBERED_COUNT + SPLIT_COUNT + NOT_OURS_COUNT
  let server: TestApp
  let stop: () => Promise<void> = async () => {}
  let meera: Office
  let paul: Office
  let removed: Office
  let otherTreasurer: Office
  let people: readonly Person[]
  let id: number
  let statementView: View
  const listNumberedPeople = () => people.slice(0, NUMBERED_COUNT)
  const listUnnumberedPeople = () => people.slice(NUMBERED_COUNT, NUMBERED_COUNT + UNNUMBERED_COUNT)
  const listSplitPeople = () => people.slice(NUMBERED_COUNT + UNNUMBERED_COUNT)
  const day = '09/01/27'
  const buildRows = (): readonly string[] => [
    ...listNumberedPeople().map(
      ({ regNo }, n) => `${day},NEFT CR-HDFCN5202701${1000 + n}-${regNo},,,${FEE}`,
    ),
    ...listUnnumberedPeople().map(
      ({ name }, n) => `${day},IMPS-52677700${1000 + n}-${name},,,${FEE}`,
    ),
    ...Array.from({ length: SPLIT_COUNT }, (_, n) => {
      // Tax was deducted from the second payment in the first of these lines.
      const amount = n === 0 ? 2 * FEE - 472 : 2 * FEE
      return `${day},RTGS ICICN5202701${1000 + n} HOSPITAL ${n},,,${amount}`
    }),
    ...Array.from(
      { length: NOT_OURS_COUNT },
      (_, n) => `${day},INTEREST CREDIT ${n},,,${100 + n}.50`,
    ),
    `${day},BANK CHARGES,,118,`,
  ]

  const addTreasurer = async (name: string, eventIds: readonly string[]): Promise<Office> => {
    const hash = await hashCheaply(PASSWORD)
    const permissions = { role: 'treasurer', events: [...eventIds] } as const
    await server.deps.store.addAdmin(name, hash, server.now(), permissions)
    return signIn(server, name)
  }
  beforeAll(async () => {
    const otherEventFile = eventFile
      .replaceAll(EVENT_IDS[0], EVENT_IDS[1])
      .replaceAll('LEKH', 'BIMA')
    const events = { [`${EVENT_IDS[0]}.yaml`]: eventFile, [`${EVENT_IDS[1]}.yaml`]: otherEventFile }
    if (database === 'PostgreSQL') {
      const postgres = await startPostgres()
      stop = () => postgres.stop()
      const variables = { DATABASE_URL: await postgres.database('statements') }
      server = await startTestApp({ clock: '2027-01-10', events, variables })
    } else server = await startTestApp({ clock: '2027-01-10', events })
    meera = await addTreasurer('meera', EVENT_IDS)
    paul = await addTreasurer('paul', EVENT_IDS)
    removed = await addTreasurer('removed', EVENT_IDS)
    otherTreasurer = await addTreasurer('there', [EVENT_IDS[1]])
    const registeredPeople: Person[] = []
    for (let n = 0; n < NUMBERED_COUNT + UNNUMBERED_COUNT + 2 * SPLIT_COUNT; n += 1) {
      const name = `Asha Zyxw${n}`
      registeredPeople.push({ regNo: await register(name, EVENT_IDS[n % 2] ?? EVENT_IDS[0]), name })
    }
    people = registeredPeople
  })
  afterAll(async () => {
    await server.close()
    await stop()
  })

  const register = async (name: string, event: string): Promise<RegNo> => {
    const response = await server.post(`/api/${event}/register/`, {
      full_name: name,
      email: `${name.toLowerCase().replace(' ', '.')}@delegate.example`,
      phone_number: '9847000000',
      registered_as: 'member',
      way: 'transfer',
    })
    if (response.statusCode !== 201) throw new Error(response.body)
    return response.json<RegisterResponse>().reg_no as RegNo
  }
  const post = async <T>(user: Office, url: string, payload: string | object): Promise<T> => {
    const type = typeof payload === 'string' ? 'text/csv' : 'application/json'
    const headers = { authorization: `Bearer ${user.token}`, 'content-type': type }
    const response = await server.app.inject({ method: 'POST', url, headers, payload })
    expect(response.statusCode, response.body).toBe(200)
    return response.json<T>()
  }
  const uploadStatement = async (user: Office, lines: readonly string[]) => {
    const response = await post<StatementUploadResponse>(
      user,
      '/admin/statements/',
      [HEADER, ...lines].join('\n'),
    )
    if (response.header !== null) throw new Error(`unknown columns: ${response.header.join()}`)
    return response
  }
  /** Reads a statement, and checks that its partial totals add up to the total received. */
  const readStatement = async (user: Office, statement = id): Promise<View> => {
    const response = await user.json(`/admin/statements/${statement}/`)
    const statementPage = response as unknown as View
    const { sum_in: sum, ...otherTotals } = statementPage.totals
    const toPaise = (amount: number): number => Math.round(amount * 100)
    const parts = Object.values(otherTotals).reduce(
      (total, { amount }) => total + toPaise(amount),
      0,
    )
    expect(parts).toBe(toPaise(sum.amount))
    expect(Object.values(otherTotals).reduce((total, { lines }) => total + lines, 0)).toBe(
      sum.lines,
    )
    return statementPage
  }
  const assign = (user: Office, ...lines: readonly object[]) =>
    post<StatementDecisionResponse>(user, `/admin/statements/${id}/assign/`, { lines })
  const decide = (user: Office, decision: string, ...lines: readonly WireStatementLine[]) =>
    post<StatementDecisionResponse>(user, `/admin/statements/${id}/decide/`, {
      decision,
      choices: lines.map((line) => ({ line: line.id, seen: line.decision?.id ?? null })),
    })
  const buildPayment = (
    line: WireStatementLine,
    regNo: string | undefined,
    changes: object = {},
  ) => ({
    line: line.id,
    seen: line.decision?.id ?? null,
    reg_no: regNo,
    amount: line.amount,
    ...changes,
  })
  const findLine = (words: string): WireStatementLine => {
    const line = statementView.lines.find(({ narration }) => narration.includes(words))
    if (line === undefined) throw new Error(`no line with ${words}`)
    return line
  }

  test('one file covers both events, and is saved once', async () => {
    const expectedPaymentsSpy = vi.spyOn(server.deps.store, 'expectedPayments')
    const firstUpload = await uploadStatement(meera, buildRows())
    // The lines are matched only once, because each match reads the expected payments of every event.
    expect(expectedPaymentsSpy).toHaveBeenCalledTimes(EVENT_IDS.length)
    expectedPaymentsSpy.mockRestore()
    id = firstUpload.id
    expect(await uploadStatement(paul, buildRows())).toEqual({ ...firstUpload, is_new: false })
    statementView = await readStatement(meera)
    expect(statementView.statement).toMatchObject({
      bank: 'HDFC BANK …5678',
      from: '2027-01-09',
      open: LINE_COUNT,
    })
    expect(statementView.totals).toMatchObject({
      left: { lines: LINE_COUNT },
      assigned: { lines: 0, amount: 0 },
    })
    expect(statementView.withdrawals).toBe(1)
    expect(statementView.lines.filter((line) => line.is_exact)).toHaveLength(NUMBERED_COUNT)
    const list = (await paul.json('/admin/statements/')) as unknown as StatementsResponse
    expect(list).toMatchObject({
      statements: [{ id, who: 'meera', open: LINE_COUNT }],
      before: null,
    })
  })

  test('a line without a registration number is proposed for a delegate if it contains their name and balance', () => {
    const proposedLines = statementView.lines
      .slice(NUMBERED_COUNT, NUMBERED_COUNT + UNNUMBERED_COUNT)
      .map(({ proposals }) => proposals.map(({ reg_no: regNo, basis }) => [regNo, basis]))
    expect(proposedLines).toEqual(
      listUnnumberedPeople().map(({ regNo }) => [[regNo, 'amount_and_name']]),
    )
    expect(findLine('HOSPITAL 1').proposals).toEqual([])
  })

  test('if two users assign one line at the same time, it is recorded once, and the second user sees who was first', async () => {
    const line = findLine(`${people[0]?.regNo}`)
    const outcomes = await Promise.all(
      [meera, paul].map((user) => assign(user, buildPayment(line, people[0]?.regNo))),
    )
    expect(outcomes.map(({ done }) => done.length).toSorted()).toEqual([0, 1])
    const refusal = outcomes.flatMap(({ refused }) => refused)
    expect(refusal).toMatchObject([{ line: line.line }])
    expect(refusal[0]?.message).toMatch(
      /^(meera|paul) assigned this line at \d\d:\d\d\. Nothing was recorded twice\.$/,
    )
    statementView = await readStatement(paul)
    expect(statementView.totals.assigned).toEqual({ lines: 1, amount: FEE })
  })

  test('all exact matches are confirmed in one step, and then the proposals', async () => {
    const exactMatches = statementView.lines.filter((line) => line.is_exact)
    const assignResult = await assign(
      meera,
      ...exactMatches.map((line) => buildPayment(line, line.proposals[0]?.reg_no)),
    )
    expect(assignResult.message).toBe(`${exactMatches.length} lines assigned.`)
    statementView = await readStatement(meera)
    const proposedLines = statementView.lines.filter(({ proposals }) => proposals.length === 1)
    await assign(
      meera,
      ...proposedLines.map((line) => buildPayment(line, line.proposals[0]?.reg_no)),
    )
    statementView = await readStatement(meera)
    expect(statementView.totals.left.lines).toBe(SPLIT_COUNT + NOT_OURS_COUNT)
  })

  test('a line is split between people only if the amounts add up, counting deducted tax as a difference', async () => {
    const couples = Array.from({ length: SPLIT_COUNT }, (_, n) =>
      listSplitPeople().slice(2 * n, 2 * n + 2),
    )
    const line = findLine('HOSPITAL 1')
    const tooHighResult = await assign(
      meera,
      buildPayment(line, couples[1]?.[0]?.regNo, { amount: FEE }),
      buildPayment(line, couples[1]?.[1]?.regNo, { amount: FEE + 1 }),
    )
    expect(tooHighResult.refused[0]?.message).toBe(
      'The amounts must add up to ₹\u00a09,440. They add up to ₹\u00a09,441.',
    )
    // The second part became a second payment, under review.
    const repeatedRegNo = couples[1]?.[0]?.regNo
    const repeatedResult = await assign(
      meera,
      buildPayment(line, repeatedRegNo, { amount: FEE }),
      buildPayment(line, repeatedRegNo, { amount: FEE }),
    )
    expect(repeatedResult).toMatchObject({
      done: [],
      refused: [{ message: `${repeatedRegNo} is in this split twice. Enter one amount for it.` }],
    })
    for (const [n, couple] of couples.entries()) {
      const line = findLine(`HOSPITAL ${n}`)
      const [firstRegNo, secondRegNo] = couple.map(({ regNo }) => regNo)
      const secondPayment =
        n === 0 ? { amount: FEE - 472, difference: 'TDS deducted' } : { amount: FEE }
      const assignResult = await assign(
        paul,
        buildPayment(line, firstRegNo, { amount: FEE }),
        buildPayment(line, secondRegNo, secondPayment),
      )
      expect(assignResult).toMatchObject({ done: [line.id], refused: [] })
    }
    statementView = await readStatement(paul)
    expect(findLine('HOSPITAL 0').payments.map(({ amount }) => amount)).toEqual([FEE, FEE - 472])
    // The first part is not reported as differing from the bank's amount.
    expect(findLine('HOSPITAL 0').why).toBeNull()
    expect(statementView.totals).toMatchObject({
      left: { lines: NOT_OURS_COUNT },
      review: { lines: 0 },
    })
  })

  test('“not ours” can be undone if no payment is recorded for the line', async () => {
    const interest = statementView.lines.filter(({ narration }) => narration.startsWith('INTEREST'))
    expect(await decide(meera, 'not_ours', ...interest)).toMatchObject({ refused: [] })
    statementView = await readStatement(meera)
    expect(statementView.totals).toMatchObject({
      left: { lines: 0, amount: 0 },
      not_ours: { lines: 5 },
    })
    const interestLine = findLine('INTEREST CREDIT 0')
    expect(await decide(paul, 'undone', interestLine)).toMatchObject({ done: [interestLine.id] })
    statementView = await readStatement(paul)
    expect(findLine('INTEREST CREDIT 0').state).toBe('left')
    expect(await decide(paul, 'review', findLine('INTEREST CREDIT 0'))).toMatchObject({
      done: [interestLine.id],
    })
    statementView = await readStatement(paul)
    expect(statementView.totals).toMatchObject({
      review: { lines: 1, amount: 100.5 },
      left: { lines: 0 },
    })
    const undoResult = await decide(meera, 'undone', findLine('INTEREST CREDIT 0'))
    expect(undoResult.refused[0]?.message).toContain('A payment is recorded for this line.')
  })

  test('an open page fetches the statement again only if it has changed', async () => {
    const since = `/admin/statements/${id}/?since=${statementView.stamp}`
    expect(await meera.json(since)).toEqual({ status: 'success', unchanged: true })
    await decide(paul, 'undone', findLine('INTEREST CREDIT 1'))
    expect(await meera.json(since)).toMatchObject({ unchanged: false })
    statementView = await readStatement(meera)
  })

  test('the totals match the ledger, and every registration is paid once', async () => {
    const captures = await Promise.all(people.map(({ regNo }) => server.deps.store.captures(regNo)))
    expect(captures.filter((personCaptures) => personCaptures.length !== 1)).toEqual([])
    const sum = captures.flat().reduce((total, { amount }) => total + amount, 0)
    expect(statementView.totals.assigned.amount).toBe(sum / 100)
    const states = await Promise.all(
      people.map(async ({ regNo }) => (await server.deps.store.registration(regNo))?.state),
    )
    expect(new Set(states)).toEqual(new Set(['complete']))
  })

  test('two overlapping statements share the lines that are in both', async () => {
    const overlapping = await uploadStatement(paul, [
      ...buildRows().slice(LINE_COUNT - 7),
      `${day},CASH SALE,,,75`,
    ])
    expect(overlapping.is_new).toBe(true)
    const { totals, lines } = await readStatement(meera, overlapping.id)
    expect(totals).toMatchObject({ sum_in: { lines: 8 }, left: { lines: 2 } })
    expect(lines.map(({ state }) => state).slice(0, 2)).toEqual(['assigned', 'assigned'])
  })

  test("a treasurer of one event does not see the statement; the treasurer's own statement shows the other lines as belonging to another event", async () => {
    expect((await otherTreasurer.get(`/admin/statements/${id}/`)).statusCode).toBe(404)
    expect(await otherTreasurer.json('/admin/statements/')).toMatchObject({ statements: [] })
    const ownStatement = await uploadStatement(otherTreasurer, buildRows())
    expect(ownStatement.is_new).toBe(true)
    const { lines, totals } = await readStatement(otherTreasurer, ownStatement.id)
    const hiddenPeople = people.filter((_, n) => n % 2 === 0)
    const shownText = JSON.stringify(lines.map(({ payments, proposals }) => [payments, proposals]))
    expect(
      hiddenPeople.filter(
        ({ regNo, name }) => shownText.includes(regNo) || shownText.includes(`${name}"`),
      ),
    ).toEqual([])
    expect(totals.other_event.lines).toBeGreaterThan(NUMBERED_COUNT / 3)
    const [otherEventLine] = lines.filter(({ state }) => state === 'other_event')
    const response = await post<StatementDecisionResponse>(
      otherTreasurer,
      `/admin/statements/${ownStatement.id}/decide/`,
      {
        decision: 'review',
        choices: [{ line: otherEventLine?.id, seen: otherEventLine?.decision?.id ?? null }],
      },
    )
    expect(response.done).toEqual([])
  })

  test('a treasurer of one event does not learn the names of staff of another event who decided on a shared line', async () => {
    const here = await addTreasurer('here', [EVENT_IDS[0]])
    const [ownStatement, otherStatement] = [
      await uploadStatement(here, [`${day},OTHER SHARED,,,40`]),
      await uploadStatement(otherTreasurer, [`${day},OTHER SHARED,,,40`]),
    ]
    const [line] = (await readStatement(here, ownStatement.id)).lines
    const ignoreLine = (user: Office, statement: number) =>
      post<StatementDecisionResponse>(user, `/admin/statements/${statement}/decide/`, {
        decision: 'not_ours',
        choices: [{ line: line?.id, seen: null }],
      })
    expect(await ignoreLine(otherTreasurer, otherStatement.id)).toMatchObject({ refused: [] })
    const { lines } = await readStatement(here, ownStatement.id)
    expect(lines).toMatchObject([{ decision: { who: 'Staff of another event' } }])
    const message =
      'Staff of another event marked this line as not ours at 12:00. Nothing was recorded twice.'
    expect(await ignoreLine(here, ownStatement.id)).toMatchObject({ refused: [{ message }] })
    // The decision of the other event may also arrive while this request is processed.
    vi.spyOn(server.deps.store, 'bankStatementLines').mockImplementationOnce(async () =>
      (await server.deps.store.bankStatementLines(ownStatement.id)).map((row) => ({
        ...row,
        decision: null,
      })),
    )
    expect(await ignoreLine(here, ownStatement.id)).toMatchObject({ refused: [{ message }] })
    const [seenByBoth] = (await readStatement(paul, ownStatement.id)).lines
    expect(seenByBoth?.decision?.who).toBe('there')
  })

  test('if the reason is too long, the request is rejected and no payment is recorded', async () => {
    const statement = await uploadStatement(paul, [`${day},CASH OF A DELEGATE,,,10`])
    const [line] = (await readStatement(paul, statement.id)).lines
    if (line === undefined) throw new Error('the statement has no line')
    const reason = { difference: 'x'.repeat(501) }
    const response = await post<StatementDecisionResponse>(
      paul,
      `/admin/statements/${statement.id}/assign/`,
      { lines: [buildPayment(line, people[0]?.regNo, reason)] },
    )
    expect(response.done).toEqual([])
    expect((await readStatement(paul, statement.id)).lines).toMatchObject([
      { state: 'left', payments: [] },
    ])
  })

  test('a refunded deposit stays assigned, and is not listed under “Not ours”', async () => {
    const statement = await uploadStatement(paul, [`${day},DEPOSIT BY MISTAKE,,,20`])
    const [line] = (await readStatement(paul, statement.id)).lines
    const url = `/admin/statements/${statement.id}/decide/`
    const choices = [{ line: line?.id, seen: null }]
    await post(paul, url, { decision: 'review', choices })
    const { reviews } = (await paul.json('/admin/reviews/')) as unknown as ReviewsResponse
    const review = reviews.find(({ came }) => came?.amount === 20)
    await post(paul, `/admin/reviews/${review?.id}/decide/`, {
      decision: 'refund',
      version: review?.version,
      by_hand: true,
      reference: 'CHEQUE 1',
      why: 'Sent back',
    })
    const { lines, totals } = await readStatement(paul, statement.id)
    expect(lines).toMatchObject([{ state: 'assigned', payments: [{ amount: 20, refunded: true }] }])
    expect(totals).toMatchObject({ assigned: { lines: 1 }, not_ours: { lines: 0 } })
  })

  test('a statement that was read in the wrong currency can be removed, but not if it has a recorded payment or a decision', async () => {
    const removeStatement = async (user: Office, statement: number) => {
      const url = `/admin/statements/${statement}/remove/`
      const headers = { authorization: `Bearer ${user.token}` }
      const response = await server.app.inject({ method: 'POST', url, headers, payload: {} })
      return [response.statusCode, response.json<{ message: string }>().message]
    }
    const lines = ['WRONG 1', 'WRONG 2', 'SHARED'].map((narration) => `${day},${narration},,,30`)
    const wrongStatement = await uploadStatement(paul, lines)
    const overlapping = await uploadStatement(otherTreasurer, lines.slice(2))
    const [undecidedLine, decidedLine] = (await readStatement(paul, wrongStatement.id)).lines
    const decideWrong = (decision: string, seen: number | null) =>
      post<StatementDecisionResponse>(paul, `/admin/statements/${wrongStatement.id}/decide/`, {
        decision,
        choices: [{ line: decidedLine?.id, seen }],
      })
    await decideWrong('not_ours', null)
    const expectedReason =
      'so the statement cannot be removed. If a line is marked as not ours, reopen it first.'
    const expectedRefusal = [409, `1 line has a recorded payment or a decision, ${expectedReason}`]
    expect(await removeStatement(paul, wrongStatement.id)).toEqual(expectedRefusal)
    const reviewedStatement = await uploadStatement(paul, [`${day},REVIEWED,,,30`])
    const [reviewedLine] = (await readStatement(paul, reviewedStatement.id)).lines
    const choices = [{ line: reviewedLine?.id, seen: null }]
    await post(paul, `/admin/statements/${reviewedStatement.id}/decide/`, {
      decision: 'review',
      choices,
    })
    expect(await removeStatement(meera, reviewedStatement.id)).toEqual(expectedRefusal)
    expect(await removeStatement(otherTreasurer, wrongStatement.id)).toEqual([
      404,
      'There is no such statement.',
    ])
    const seen = (await readStatement(paul, wrongStatement.id)).lines[1]?.decision?.id ?? null
    expect((await decideWrong('undone', seen)).refused).toEqual([])

    // Of several concurrent requests, only one removes the statement.
    const codes = await Promise.all(
      Array.from({ length: 8 }, () => removeStatement(paul, wrongStatement.id)),
    )
    expect(codes).toContainEqual([200, 'Statement removed.'])
    expect(await removeStatement(paul, wrongStatement.id)).toEqual([
      404,
      'There is no such statement.',
    ])
    const auditFilter = {
      who: 'paul',
      events: null,
      kinds: null,
      words: 'removed a bank',
      from: null,
      to: null,
    }
    expect(await server.deps.store.auditLog(auditFilter, null, 9)).toMatchObject(
      EVENT_IDS.map((eventId) => ({
        eventId,
        what: expect.stringContaining('2027-01-09'),
      })),
    )
    // A colleague's page still shows the lines, but no decision about them is accepted.
    for (const line of [undecidedLine, decidedLine])
      expect(
        await server.deps.store.decideBankLine({
          lineId: line?.id ?? 0,
          seen: null,
          decision: 'assigned',
          parts: [],
          who: 'meera',
          at: server.now(),
        }),
      ).toEqual({ ok: false, error: null })
    expect((await readStatement(otherTreasurer, overlapping.id)).lines).toMatchObject([
      { narration: 'SHARED' },
    ])
    const newStatement = await uploadStatement(paul, lines)
    expect(newStatement.is_new).toBe(true)
    expect((await readStatement(paul, newStatement.id)).totals).toMatchObject({
      left: { lines: 3 },
    })
    // Ids are not reused: a page opened earlier could still send a decision about a removed line.
    const removedStatement = await uploadStatement(paul, [`${day},GO\u202eNE,,,40`])
    const [removedLine] = (await readStatement(paul, removedStatement.id)).lines
    // Without this, the text would be shown reversed.
    expect(removedLine?.narration).toBe('GO<U+202E>NE')
    expect(await removeStatement(paul, removedStatement.id)).toEqual([200, 'Statement removed.'])
    const nextStatement = await uploadStatement(paul, [`${day},ANOTHER,,,50`])
    expect(
      (await readStatement(paul, nextStatement.id)).lines.map((line) => line.id),
    ).not.toContain(removedLine?.id)
  })

  test('after a user is removed, their running request decides no further lines', async () => {
    const { store } = server.deps
    const statement = await uploadStatement(paul, [`${day},LOST 1,,,31`, `${day},LOST 2,,,32`])
    const { lines } = await readStatement(paul, statement.id)
    const { decideBankLine } = store
    vi.spyOn(store, 'decideBankLine').mockImplementationOnce(async (decision) => {
      const result = await decideBankLine(decision)
      await store.removeAdmin('removed')
      return result
    })
    const choices = lines.map((line) => ({ line: line.id, seen: null }))
    const path = `/admin/statements/${statement.id}/decide/`
    expect(await post(removed, path, { decision: 'not_ours', choices })).toMatchObject({
      done: [choices[0]?.line],
      refused: [{ message: expect.stringContaining('you are no longer signed in') }],
    })
    expect((await readStatement(paul, statement.id)).lines[1]?.decision).toBeNull()
  })

  test('a transfer that the bank returned goes to review, even if its line is assigned later or split', async () => {
    const listReturnedRegNos = async () => {
      const { reviews } = (await paul.json('/admin/reviews/')) as unknown as ReviewsResponse
      return reviews.flatMap(({ kind, reg_no: regNo }) => (kind === 'returned' ? [regNo] : []))
    }
    const [earlyRegNo, otherRegNo, lateRegNo] = [
      await register('Early Zyxw', EVENT_IDS[1]),
      await register('Other Zyxw', EVENT_IDS[0]),
      await register('Late Zyxw', EVENT_IDS[0]),
    ]
    const statement = await uploadStatement(paul, [`${day},RTGS ICICN52027019998,,,${2 * FEE}`])
    const [sharedLine] = (await readStatement(paul, statement.id)).lines
    if (sharedLine === undefined) throw new Error('the statement has no line')
    const parts = [earlyRegNo, otherRegNo].map((regNo) =>
      buildPayment(sharedLine, regNo, { amount: FEE }),
    )
    await post(paul, `/admin/statements/${statement.id}/assign/`, { lines: parts })
    const returnLine = `${day},RTGS RTN ICICN52027019998,,${2 * FEE},`
    // A user with access to one event cannot change a payment of the other event.
    await uploadStatement(otherTreasurer, [returnLine])
    expect(await listReturnedRegNos()).toEqual([earlyRegNo])
    const ownStatement = await uploadStatement(paul, [
      `${day},NEFT CR-HDFCN52027019999-${lateRegNo},,,${FEE}`,
      `${day},NEFT RTN HDFCN52027019999,,${FEE},`,
      returnLine,
    ])
    expect((await listReturnedRegNos()).toSorted()).toEqual([earlyRegNo, otherRegNo].toSorted())
    const [line] = (await readStatement(paul, ownStatement.id)).lines
    if (line === undefined) throw new Error('the statement has no line')
    const lines = [buildPayment(line, lateRegNo)]
    await post(paul, `/admin/statements/${ownStatement.id}/assign/`, { lines })
    expect((await listReturnedRegNos()).toSorted()).toEqual(
      [earlyRegNo, otherRegNo, lateRegNo].toSorted(),
    )
  })
})
