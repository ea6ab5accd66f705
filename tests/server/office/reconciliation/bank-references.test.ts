/** A bank transfer counts once, whatever its payment method and however its reference is written. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toAmount } from '../../../../engine/index.ts'
import type { RegNo } from '../../../../engine/index.ts'
import type {
  ActionsResponse,
  BulkActionResponse,
  ReconcileResponse,
  RegisterResponse,
} from '../../../../engine/api.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { createImportRow } from '../../sample-registrations.ts'
import { actionsUrl, signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { readCsvHere } from '../read-csv-here.ts'

readCsvHere()

const fileName = 'lekhacon2027.yaml'
const event = 'lekhacon2027'
const eventFile = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'events', fileName),
  'utf8',
)
const FEE = 4720

let server: TestApp
let office: Office
beforeAll(async () => {
  server = await startTestApp({ clock: '2027-01-10', events: { [fileName]: eventFile } })
  office = await signIn(server)
})
afterAll(() => server.close())

let counter = 0
/** Returns an unused UTR. */
const createUtr = (): string => String(526_123_000_000 + ++counter)
const groupDigits = (reference: string): string => reference.replaceAll(/(\d{4})(?=\d)/g, '$1 ')

const register = async (): Promise<{ regNo: RegNo; page: string }> => {
  counter += 1
  const response = await server.post(`/api/${event}/register/`, {
    full_name: `Delegate ${counter}`,
    email: `delegate${counter}@delegate.example`,
    phone_number: '9847000000',
    registered_as: 'member',
    way: 'transfer',
  })
  const { reg_no: regNo, page = '' } = response.json<RegisterResponse>()
  return { regNo: regNo as RegNo, page }
}
const confirm = (regNo: string, method: string, reference: string, overrides: object = {}) =>
  office.act(regNo, { act: 'confirm', way: method, reference, amount: String(FEE), ...overrides })
const recordExtraPayment = (regNo: string, method: string, reference: string) =>
  office.act(regNo, { act: 'came_again', way: method, reference, amount: String(FEE) })
const reportUtr = async (page: string, reference: string) => {
  const payload = { act: 'tell', answers: { utr: reference, paid_on: '2027-01-09' } }
  const response = await server.app.inject({ method: 'POST', url: `/api${page}/acts/`, payload })
  return { status: response.statusCode, body: response.json<Record<string, unknown>>() }
}
const post = async (url: string, body: string | object) => {
  const headers = {
    authorization: `Bearer ${office.token}`,
    'content-type': typeof body === 'string' ? 'text/csv' : 'application/json',
  }
  const response = await server.app.inject({ method: 'POST', url, headers, payload: body })
  return { status: response.statusCode, body: response.json<Record<string, unknown>>() }
}
const addAtDesk = async (mode: string, slip: string) => {
  counter += 1
  const answers = {
    full_name: `Delegate ${counter}`,
    email: `delegate${counter}@delegate.example`,
    phone_number: '9847000000',
    registered_as: 'member',
  }
  const payment = { way: 'desk', paid: { mode, slip } }
  return post('/admin/add/', { event, key: `click-of-the-desk-${counter}`, answers, ...payment })
}

type StatementResponse = Extract<ReconcileResponse, { header: null }>
const STATEMENT_HEADER = 'Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt'
const toCredit = (narration: string, amount = FEE, reference = '') =>
  `09/01/27,${narration},${reference},,${amount}`
const toDebit = (narration: string, amount = FEE) => `10/01/27,${narration},,${amount},`
const checkRows = async (...rows: readonly string[]): Promise<StatementResponse> => {
  const { status, body } = await post(
    `/admin/reconcile/?event=${event}`,
    [STATEMENT_HEADER, ...rows].join('\n'),
  )
  expect(status, JSON.stringify(body)).toBe(200)
  return body as unknown as StatementResponse
}
const listOutcomes = ({ lines }: StatementResponse) =>
  lines.map(({ as: outcome, of: matches }) => [
    outcome,
    ...matches.map(({ reg_no: regNo }) => regNo),
  ])
const keepUnmatched = async ({ lines }: StatementResponse) => {
  const unmatchedLines = lines.map(({ reference, also, amount, day, narration }) => ({
    reference,
    also,
    amount,
    day,
    narration,
  }))
  const { body } = await post('/admin/reconcile/confirm/', {
    event,
    lines: [],
    keep: unmatchedLines,
  })
  return (body as unknown as BulkActionResponse).message
}
const sumReceived = (): unknown =>
  server.rows('SELECT coalesce(sum(amount), 0) AS paise FROM captures')[0]?.['paise']

describe('one UTR', () => {
  test('pays for only one registration, even if entered again with spaces, as a cheque number, as a UPI payment or as a front desk slip', async () => {
    const reference = createUtr()
    const paidRegNo = (await register()).regNo
    expect((await confirm(paidRegNo, 'transfer', groupDigits(reference))).status).toBe(200)
    const receivedBefore = sumReceived()
    const spellings = [
      ['transfer', reference],
      ['transfer', `UTR ${groupDigits(reference)}`],
      ['upi', reference.replaceAll(/(\d{3})(?=\d)/g, '$1-')],
      ['cheque', `00${reference}`],
      ['cheque', `Cheque no. ${reference}`],
      ['desk', reference],
      ['machine', `${reference.slice(0, 6)}\u200b${reference.slice(6)}`],
      ['transfer', `IMPS-P2A-${reference}-SHARMA-XX1234`],
      ['upi', `UPI/P2M/${reference}/2`],
      ['desk', `${reference} of 09/01/2027`],
    ] as const
    for (const [method, spelling] of spellings) {
      const { regNo } = await register()
      const rejection = await confirm(regNo, method, spelling)
      expect([method, spelling, rejection.status, rejection.body.code]).toEqual([
        method,
        spelling,
        409,
        'taken',
      ])
      expect(rejection.body.message).toContain(`it is the payment of ${paidRegNo}`)
    }
    for (const mode of ['upi', 'card'])
      expect(await addAtDesk(mode, ` ${groupDigits(reference)}.`)).toMatchObject({
        status: 409,
        body: { code: 'taken' },
      })
    expect(sumReceived()).toBe(receivedBefore)
  })

  test('that was recorded within a narration is recognised later on its own, in a statement or in a claim', async () => {
    const [reference, { regNo: paidRegNo }, { regNo, page }] = [
      createUtr(),
      await register(),
      await register(),
    ]
    const pastedNarration = `NEFT 4 ${reference} SHARMA 12`
    expect((await confirm(paidRegNo, 'transfer', pastedNarration)).status).toBe(200)
    const receivedBefore = sumReceived()
    expect((await confirm(regNo, 'transfer', reference)).body).toMatchObject({ code: 'taken' })
    expect((await reportUtr(page, groupDigits(reference))).body).toMatchObject({ code: 'taken' })
    const result = await checkRows(toCredit(`UPI/${reference}/SHARMA`))
    expect(listOutcomes(result)).toEqual([['known', paidRegNo]])
    await keepUnmatched(result)
    expect(sumReceived()).toBe(receivedBefore)
  })

  test('is rejected if recorded again with spaces, and adds no second payment', async () => {
    const reference = createUtr()
    const { regNo } = await register()
    await confirm(regNo, 'transfer', reference)
    const receivedBefore = sumReceived()
    for (const method of ['transfer', 'upi', 'cheque', 'machine'])
      expect((await recordExtraPayment(regNo, method, groupDigits(reference))).status).toBe(409)
    expect(sumReceived()).toBe(receivedBefore)
  })

  test('that was entered at the front desk cannot be reported by a delegate or confirmed as a transfer', async () => {
    const reference = createUtr()
    const deskRejection = await addAtDesk('upi', groupDigits(reference))
    expect(deskRejection.status, JSON.stringify(deskRejection.body)).toBe(201)
    const { regNo, page } = await register()
    expect((await reportUtr(page, reference)).status).toBe(409)
    expect((await confirm(regNo, 'transfer', reference)).status).toBe(409)
  })

  test('is rejected at the front desk if it contains a Cyrillic letter; a slip number in any script is accepted', async () => {
    expect(await addAtDesk('card', 'HDF\u0421N52027010101')).toMatchObject({
      status: 422,
      body: { errors: { slip: expect.stringContaining('Latin letters and digits') } },
    })
    expect(await addAtDesk('card', 'रसीद 41')).toMatchObject({ status: 201 })
    expect(await addAtDesk('cash', 'रसीद 526123456')).toMatchObject({ status: 201 })
  })

  test('without letters or digits is rejected', async () => {
    const { regNo } = await register()
    expect((await confirm(regNo, 'transfer', '—')).status).toBe(422)
  })
})

test('a short front desk slip number is not a bank reference', async () => {
  const slipResponses = [
    await addAtDesk('upi', '17'),
    await addAtDesk('card', '17'),
    await addAtDesk('cash', '17'),
  ]
  expect(slipResponses.map(({ status }) => status)).toEqual([201, 201, 201])
  // The same slip number, written differently, is the same slip.
  expect((await addAtDesk('upi', '0017')).status).toBe(409)
})

describe('a bank statement', () => {
  test('recognises a transfer that staff entered as a slip or a cheque, and does not record it again', async () => {
    const [slip, cheque] = [createUtr(), createUtr()]
    const deskRegNo = String((await addAtDesk('card', groupDigits(slip))).body['reg_no'])
    const { regNo } = await register()
    await confirm(regNo, 'cheque', `chq ${groupDigits(cheque)}`)
    const receivedBefore = sumReceived()
    const result = await checkRows(toCredit(`UPI/CR/${slip}/ASHA`), toCredit(`CLG ${cheque}`))
    expect(listOutcomes(result)).toEqual([
      ['known', deskRegNo],
      ['known', regNo],
    ])
    expect(await keepUnmatched(result)).toBe(
      '0 unmatched payments sent for review. 2 already recorded.',
    )
    expect(sumReceived()).toBe(receivedBefore)
  })

  test('that combines two downloads recognises a confirmed transfer, and reports the repeated line', async () => {
    const reference = createUtr()
    const { regNo } = await register()
    await confirm(regNo, 'transfer', reference)
    const creditLine = toCredit(`IMPS ${reference} ASHA`)
    const result = await checkRows(creditLine, toCredit(`UPI ${createUtr()} RAVI`, 10), creditLine)
    expect(listOutcomes(result)).toEqual([['known', regNo], ['unmatched']])
    expect(result.repeated).toEqual([{ line: 4, first: 2 }])
  })

  test('shows a transfer that the bank returned, and its registration', async () => {
    const reference = createUtr()
    const { regNo } = await register()
    await confirm(regNo, 'transfer', reference)
    const result = await checkRows(
      toDebit('RENT', 5000),
      toDebit(`RETURN ${groupDigits(reference)} A/C CLOSED`),
    )
    expect(listOutcomes(result)).toEqual([['returned', regNo]])
    expect(result.lines[0]).toMatchObject({
      amount: FEE,
      why: expect.stringContaining('may have returned it'),
    })
  })

  test('leaves a line with the number of another registration for staff to decide, even if its reference was reported', async () => {
    const reference = createUtr()
    const [reporter, payer, otherDelegate] = [await register(), await register(), await register()]
    expect((await reportUtr(reporter.page, reference)).status).toBe(200)
    await confirm(otherDelegate.regNo, 'transfer', createUtr())
    const otherReferenceResult = await checkRows(toCredit(`UPI ${reference} ${payer.regNo}`))
    expect(listOutcomes(otherReferenceResult)).toEqual([['ambiguous', payer.regNo, reporter.regNo]])
    const otherRegNoResult = await checkRows(toCredit(`UPI ${reference} ${otherDelegate.regNo}`))
    expect(listOutcomes(otherRegNoResult)).toEqual([
      ['ambiguous', reporter.regNo, otherDelegate.regNo],
    ])
    const ownLine = await checkRows(toCredit(`UPI ${groupDigits(reference)} ${reporter.regNo}`))
    expect(listOutcomes(ownLine)).toEqual([['matched', reporter.regNo]])
  })

  test("does not match lines by the first twelve digits of the conference's own account number", async () => {
    const { page } = await register()
    expect((await reportUtr(page, '502000123456')).status).toBe(200)
    const result = await checkRows(toCredit('NEFT ASHA TO 50200012345678', 100))
    expect(listOutcomes(result)).toEqual([['unmatched']])
  })

  test('records all bank numbers of a confirmed line, so that none of them pays for another registration', async () => {
    const [reported, otherNumber] = [createUtr(), createUtr()]
    const [payer, other] = [await register(), await register()]
    await reportUtr(payer.page, reported)
    const [line] = (await checkRows(toCredit(`IMPS ${reported} ASHA`, FEE, otherNumber))).lines
    expect(line).toMatchObject({ as: 'matched', reference: reported, also: [otherNumber] })
    const { reference, also, amount, day } = line ?? {}
    const lines = [{ reg_no: payer.regNo, reference, also, amount, day }]
    expect(await post('/admin/reconcile/confirm/', { event, lines })).toMatchObject({
      status: 200,
      body: { done: [payer.regNo] },
    })
    expect((await confirm(other.regNo, 'transfer', groupDigits(otherNumber))).status).toBe(409)
  })
})

test('a payment recorded from a statement is not recorded again if its reference is written differently', async () => {
  const reference = createUtr()
  const line = { amount: 10, day: '2027-01-09', narration: 'UPI' }
  const sameLineTwice = [
    { ...line, reference },
    { ...line, reference: groupDigits(reference) },
  ]
  const { body } = await post('/admin/reconcile/confirm/', {
    event,
    lines: [],
    keep: sameLineTwice,
  })
  expect(body['message']).toContain('1 unmatched payment sent for review')
  const { regNo } = await register()
  const rejection = await confirm(regNo, 'transfer', groupDigits(reference))
  expect(rejection.body.message).toContain('it is a payment without a registration')
})

test("the reference of a gateway payout is never recorded for a delegate's transfer, or the other way round", async () => {
  const settlementHeader =
    'Merchant Txn ID,Transaction ID,Txn Amount,MDR,GST,Net Amount,UTR Number,Settlement Date,Txn Type'
  const buildSettlementLine = (utr: string) =>
    `ELSEWHERE${utr},AP${utr},4720.00,20,3.60,4696.40,${utr},08-01-2027,Sale`
  const saveSettlement = (utr: string) =>
    post(
      `/admin/reconcile/keep/?event=${event}`,
      `${settlementHeader}\n${buildSettlementLine(utr)}`,
    )
  const [settledUtr, confirmedUtr] = [createUtr(), createUtr()]
  expect((await saveSettlement(settledUtr)).status).toBe(200)
  const { regNo } = await register()
  const rejection = await confirm(regNo, 'transfer', groupDigits(settledUtr))
  expect(rejection).toMatchObject({ status: 409 })
  expect(rejection.body.message).toContain('is already the reference of a gateway payout')
  expect((await confirm(regNo, 'transfer', confirmedUtr)).status).toBe(200)
  await saveSettlement(confirmedUtr)
  const storedRegistration = await server.deps.store.registration(regNo)
  expect(storedRegistration).toMatchObject({ paymentStatus: 'success', inReview: true })
})

test('the office finds a payment by its reference, however it is written', async () => {
  const reference = createUtr()
  const { regNo } = await register()
  await confirm(regNo, 'transfer', reference)
  const response = (await office.json(
    `/admin/find/?q=${encodeURIComponent(`UTR ${groupDigits(reference)}`)}`,
  )) as unknown as { found: { reg_no: string }[] }
  expect(JSON.stringify(response)).toContain(regNo)
})

test.each([
  [
    'a withdrawal that returns it',
    (u: string) => [toCredit(`NEFT CR-${u}-ASHA`), toDebit(`NEFT RETURN ${u}`)],
  ],
  ['a charge', (u: string) => [toCredit(`NEFT CR-${u}-ASHA`), toDebit(`CHGS NEFT ${u}`, 2.36)]],
  [
    'the same transfer as described in another download',
    (u: string) => [toCredit(`NEFT CR-${u}-ASHA`), toCredit(`NEFT/${u}/ASHA`)],
  ],
])(
  'a confirmed transfer whose UTR also appears in %s does not pay for a second registration',
  async (_, buildRows) => {
    const reference = createUtr()
    const { regNo, page } = await register()
    expect((await reportUtr(page, reference)).status).toBe(200)
    const [line] = (await checkRows(...buildRows(reference))).lines
    expect(line?.as).toBe('ambiguous')
    const confirmation = await confirm(regNo, 'transfer', line?.reference ?? '', {
      also: line?.also,
    })
    expect(confirmation.status).toBe(200)
    const secondResponse = await confirm((await register()).regNo, 'transfer', reference)
    expect([secondResponse.status, secondResponse.body.code]).toEqual([409, 'taken'])
    expect(listOutcomes(await checkRows(toCredit(`NEFT CR-${reference}-ASHA`)))).toEqual([
      ['known', regNo],
    ])
  },
)

test('two cash deposits with the same date and amount but different slips are both recorded', async () => {
  const receivedBefore = Number(sumReceived())
  const depositLines = [
    toCredit('CASH DEP BY SELF', 773, '000123'),
    toCredit('CASH DEP BY SELF', 773, '000124'),
  ]
  expect(await keepUnmatched(await checkRows(...depositLines))).toContain('2 unmatched payments')
  expect(Number(sumReceived()) - receivedBefore).toBe(2 * 77_300)
  const repeatedResult = await checkRows(...depositLines)
  expect(repeatedResult.lines.map(({ as: outcome }) => outcome)).toEqual(['known', 'known'])
})

test.each([
  ['a branch code', (regNo: string) => `BY TRANSFER-NEFT*KKBK0000958* ${regNo}`],
  ["one payer's account", (regNo: string) => `TRF FR A/C 50100123456789 ${regNo}`],
  ['a telephone number', (regNo: string) => `IMPS-MOB 9847012345 ${regNo}`],
  ['a date', (regNo: string) => `DEP 24112026 ${regNo}`],
  [
    'text longer than a reference',
    (regNo: string) =>
      `BY TRANSFER FROM A MEMBER OF THE SAMPLE SOCIETY FOR THE CONFERENCE ${regNo}`,
  ],
])('two transfers whose lines share %s each pay for their own registration', async (_, getText) => {
  for (let n = 0; n < 2; n++) {
    const { regNo } = await register()
    const [line] = (await checkRows(toCredit(getText(regNo)))).lines
    expect([line?.as, line?.of[0]?.reg_no]).toEqual(['matched', regNo])
    const confirmation = await confirm(regNo, 'transfer', line?.reference ?? '', {
      also: line?.also,
    })
    expect(confirmation.status).toBe(200)
    expect(listOutcomes(await checkRows(toCredit(getText(regNo))))).toEqual([['known', regNo]])
  }
})

test('a branch code recorded as a reference does not hide later transfers from that branch', async () => {
  const payer = await register()
  expect((await confirm(payer.regNo, 'transfer', 'KKBK0000959')).status).toBe(200)
  const other = await register()
  const narration = `NEFT*KKBK0000959*${createUtr()}*ASHA ${other.regNo}`
  const [line] = (await checkRows(toCredit(narration))).lines
  expect(line?.as).toBe('ambiguous')
  expect(line?.of.map(({ reg_no: regNo }) => regNo)).toEqual([payer.regNo, other.regNo])
  const { reference = '', also } = line ?? {}
  expect((await confirm(other.regNo, 'transfer', reference, { also })).status).toBe(200)
})

test('a UTR written in groups in the reference column is read as the reference', async () => {
  const reference = createUtr()
  const { regNo } = await register()
  const [line] = (await checkRows(toCredit(`NEFT ${regNo}`, FEE, groupDigits(reference)))).lines
  expect(line?.reference).toBe(reference)
})

test('an HDFC Bank reference (N and 15 digits) can be reported, pays for only one registration, and is recognised when the bank returns the transfer', async () => {
  const reference = 'N328261234567890'
  const [payer, other] = [await register(), await register()]
  const sendLine = () => checkRows(toCredit(`NEFT CR-HDFC0000001-${payer.regNo}`, FEE, reference))
  expect((await sendLine()).lines[0]).toMatchObject({ as: 'matched', reference })
  expect((await reportUtr(payer.page, 'n328 2612 3456 7890')).status).toBe(200)
  expect((await confirm(payer.regNo, 'transfer', reference)).status).toBe(200)
  expect(listOutcomes(await sendLine())).toEqual([['known', payer.regNo]])
  expect((await confirm(other.regNo, 'transfer', `NEFT ${reference}`)).status).toBe(409)
  const returnedResult = await checkRows(toDebit(`NEFT RTN ${reference}`))
  expect(listOutcomes(returnedResult)).toEqual([['returned', payer.regNo]])
})

test.each([
  ['the whole amount', FEE, FEE, []],
  ['the amount that the bank returned', 100, 100, []],
  ['less than the bank returned', FEE, 100, ['returned']],
])(
  'a returned transfer is no longer under review once the whole returned amount is recorded as refunded: %s',
  async (_how, returnedAmount, refundAmount, openReviewKinds) => {
    const reference = createUtr()
    const { regNo } = await register()
    await confirm(regNo, 'transfer', reference)
    await checkRows(toDebit(`NEFT RTN ${reference}`, returnedAmount))
    const listReviewKinds = async () => {
      const { reviews } = (await office.json(actionsUrl(regNo))) as unknown as ActionsResponse
      return reviews.map(({ kind }) => kind)
    }
    expect(await listReviewKinds()).toEqual(['returned'])
    const reason = 'The bank returned it.'
    const refund = {
      act: 'refund',
      amount: refundAmount,
      by_hand: true,
      reference: createUtr(),
      why: reason,
    }
    expect(await office.act(regNo, refund)).toMatchObject({ status: 200 })
    expect(await listReviewKinds()).toEqual(openReviewKinds)
    const storedRegistration = await server.deps.store.registration(regNo)
    expect(storedRegistration).toMatchObject({ inReview: openReviewKinds.length > 0 })
  },
)

test('a UTR that one delegate reported is not confirmed for another registration until staff reject the claim', async () => {
  const reference = createUtr()
  const [reporter, otherDelegate] = [await register(), await register()]
  await reportUtr(reporter.page, reference)
  const receivedBefore = sumReceived()
  const rejections = [
    await confirm(otherDelegate.regNo, 'transfer', groupDigits(reference)),
    await confirm(otherDelegate.regNo, 'desk', reference),
    await addAtDesk('upi', reference),
  ]
  expect(rejections.map(({ status }) => status)).toEqual([409, 409, 409])
  expect(rejections[0]?.body.message).toContain(
    `The delegate with registration ${reporter.regNo} reported ${groupDigits(reference)}. Confirm it for ${reporter.regNo}, or first choose “Mark payment as not found” there.`,
  )
  expect(sumReceived()).toBe(receivedBefore)
  const rejection = { act: 'not_found', why: 'It is the payment of the other.' }
  expect((await office.act(reporter.regNo, rejection)).status).toBe(200)
  expect((await confirm(otherDelegate.regNo, 'transfer', reference)).status).toBe(200)
})

test.each(['00', 'UTR ', 'Ref no. '])('a delegate can type %j before the UTR', async (prefix) => {
  const reference = createUtr()
  const [ownRegistration, otherDelegate] = [await register(), await register()]
  expect((await reportUtr(ownRegistration.page, `${prefix}${reference}`)).status).toBe(200)
  expect((await reportUtr(otherDelegate.page, reference)).status).toBe(409)
})

test('a delegate can type the UTR in groups of four, as bank apps show it', async () => {
  const reference = createUtr()
  const { page } = await register()
  expect((await reportUtr(page, groupDigits(reference))).status).toBe(200)
})

test('a transfer that was received and returned in one file, without a claim, is shown as returned', async () => {
  const reference = createUtr()
  const rows = [
    toCredit(`NEFT CR-${reference}-UNKNOWN`, 55),
    toDebit(`NEFT RETURN ${reference}`, 55),
  ]
  expect((await checkRows(...rows)).lines.map(({ as: outcome }) => outcome)).toEqual([
    'unmatched',
    'returned',
  ])
  const bankCharge = [
    toCredit(`NEFT CR-${reference}-UNKNOWN`, 55),
    toDebit(`CHGS NEFT ${reference}`, 2.36),
  ]
  expect((await checkRows(...bankCharge)).lines.map(({ as: outcome }) => outcome)).toEqual([
    'unmatched',
  ])
})

test('the UTR of an imported payment pays for no other registration, whether staff enter it, a statement contains it or it is imported again', async () => {
  const reference = createUtr()
  const buildImportRow = (regNo: string, paymentId: string) =>
    createImportRow({
      eventId: event,
      regNo: regNo as RegNo,
      paymentId,
      total: toAmount(FEE * 100),
    })
  const { store } = server.deps
  const imported = 'LEKHA-OLD-1'
  expect((await store.importRegistrations([buildImportRow(imported, reference)])).ok).toBe(true)
  const waitingRegNo = (await register()).regNo
  const rejection = await confirm(waitingRegNo, 'transfer', groupDigits(reference))
  expect([rejection.status, rejection.body.code]).toEqual([409, 'taken'])
  expect(rejection.body.message).toContain(`it is the payment of ${imported}`)
  const result = await checkRows(toCredit(`NEFT ${waitingRegNo}`, FEE, reference))
  expect(listOutcomes(result)).toEqual([['known', imported]])
  const repeatedResult = await store.importRegistrations([
    buildImportRow('LEKHA-OLD-2', groupDigits(reference)),
  ])
  expect(repeatedResult).toMatchObject({
    ok: false,
    error: { code: 'payment_known', formerNo: 'OLD-LEKHA-OLD-2' },
  })
})

test('two transfers that state only the registration number are both recorded', async () => {
  const { regNo } = await register()
  const { lines } = await checkRows(
    toCredit(`CREDIT ${regNo} PART 1`, 2000),
    toCredit(`CREDIT ${regNo} PART 2`, 2720),
    toCredit(`CREDIT ${regNo} PART 3`, 1),
  )
  const [firstLine, secondLine, thirdLine] = lines.map(
    ({ reference, also, amount, day, narration }) => ({ reference, also, amount, day, narration }),
  )
  const confirmLines = async (payload: object) =>
    (await post('/admin/reconcile/confirm/', { event, lines: [], ...payload })).body
  for (const line of [firstLine, secondLine])
    expect(await confirmLines({ lines: [{ ...line, reg_no: regNo }] })).toMatchObject({
      done: [regNo],
      refused: [],
    })
  expect((await confirmLines({ keep: [thirdLine] }))['message']).toBe(
    '1 unmatched payment sent for review.',
  )
  for (const line of [firstLine, secondLine])
    expect(await confirmLines({ lines: [{ ...line, reg_no: regNo }] })).toMatchObject({ done: [] })
  expect((await confirm(regNo, 'transfer', regNo)).status).toBe(409)
})

test('the registration number alone does not turn an expected transfer into a card payment', async () => {
  const { regNo } = await register()
  const retry = {
    method: 'POST',
    url: '/api/payment/retry/',
    payload: { order_id: regNo },
  } as const
  expect((await server.app.inject(retry)).statusCode).toBe(403)
  const [payment] = (await server.deps.store.registration(regNo))?.payments ?? []
  expect(payment).toMatchObject({ way: 'transfer', status: 'pending' })
})
