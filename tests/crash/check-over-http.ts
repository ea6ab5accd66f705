/** Finds problems after faults that are visible in the office or on the mail server. */
import { parse } from 'csv-parse/sync'
import type { Email } from '../browser/inbox.ts'
import { FAULT_EVENT, SEATS } from './fault-clients.ts'
import type { ClientResults } from './fault-clients.ts'

type Row = Readonly<Record<string, string>>
type RegistrationDetails = {
  readonly payments: readonly {
    readonly status: string
    readonly facts: readonly { readonly type: string }[]
  }[]
  readonly mails: readonly { readonly subject: string }[]
}
type Stats = {
  readonly total_registrations: number
  readonly paid_registrations: number
  readonly total_revenue: number
}
export type CheckResult = {
  /** Descriptions of problems. */
  readonly problems: readonly string[]
  readonly registered: number
  readonly paid: number
}

const COLUMN_HEADINGS = {
  number: 'Registration Number',
  email: 'Email Address',
  category: 'Category',
  status: 'Payment Status',
  paid: 'Amount paid',
  total: 'Total Amount',
}
const CONCURRENT_REQUESTS = 4

export async function checkOverHttp(
  url: string,
  password: string,
  clientResults: ClientResults,
  emails: readonly Email[],
): Promise<CheckResult> {
  const headers = await signIn(url, password)
  const get = async (path: string): Promise<string> => {
    const response = await fetch(`${url}${path}`, { headers })
    const text = await response.text()
    if (response.status !== 200)
      throw new Error(`${path}: ${response.status} ${text.slice(0, 200)}`)
    return text
  }
  const rows = parse(await get(`/admin/export/?event_type=${FAULT_EVENT}`), {
    columns: true,
    bom: true,
  }) as readonly Row[]
  const readCell = (row: Row | undefined, name: keyof typeof COLUMN_HEADINGS): string =>
    row?.[COLUMN_HEADINGS[name]] ?? ''
  const paidRows = rows.filter((row) => readCell(row, 'status') === 'Paid')
  const problems = [...clientResults.unexpected]

  for (const [email, regNo] of clientResults.registered) {
    const foundRows = rows.filter((row) => readCell(row, 'number') === regNo)
    if (foundRows.length !== 1)
      problems.push(`${regNo} of ${email} is listed ${foundRows.length} times`)
    else if (readCell(foundRows[0], 'email') !== email)
      problems.push(`${regNo} does not belong to ${email}`)
  }
  for (const email of findRepeatedValues(rows.map((row) => readCell(row, 'email'))))
    problems.push(`${email} is registered twice`)

  const memberCount = rows.filter((row) => readCell(row, 'category') === 'Member').length
  if (memberCount > SEATS) problems.push(`${memberCount} delegates share ${SEATS} seats`)
  if (memberCount === 0) problems.push('no delegate has a seat: the list was not read correctly')

  const paidNumbers = new Set(paidRows.map((row) => readCell(row, 'number')))
  for (const regNo of clientResults.paid)
    if (!paidNumbers.has(regNo)) problems.push(`${regNo} was shown as paid, but is not`)
  for (const row of paidRows)
    if (readCell(row, 'paid') !== readCell(row, 'total'))
      problems.push(
        `${readCell(row, 'number')} paid ${readCell(row, 'paid')} of ${readCell(row, 'total')}`,
      )

  const dashboard = JSON.parse(await get('/admin/dashboard/stats/')) as {
    readonly data: Readonly<Record<string, Stats>>
  }
  const stats = dashboard.data[`${FAULT_EVENT}_stats`]
  const paidTotal = paidRows.reduce((total, row) => total + Number(readCell(row, 'total')), 0)
  const listTotals = [rows.length, paidRows.length, paidTotal]
  const shownFigures = [stats?.total_registrations, stats?.paid_registrations, stats?.total_revenue]
  if (shownFigures.join() !== listTotals.join())
    problems.push(
      `the dashboard shows ${shownFigures.join(', ')}, but the list ${listTotals.join(', ')}`,
    )
  const reviews = JSON.parse(await get('/admin/reviews/')) as { readonly count: number }
  if (reviews.count > 0) problems.push(`${reviews.count} payments are in review`)

  const remainingNumbers = [...paidNumbers]
  const checkDetails = async (): Promise<void> => {
    for (let regNo = remainingNumbers.pop(); regNo !== undefined; regNo = remainingNumbers.pop())
      problems.push(...findDetailProblems(regNo, await get(`/admin/registrations/${regNo}/`)))
  }
  await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, checkDetails))

  const sentSubjects = emails.map(
    ({ to, text }) => `${to}: ${/^Subject: .*$/m.exec(text)?.[0] ?? ''}`,
  )
  if (sentSubjects.some((subject) => subject.endsWith(': ')))
    problems.push('an email has no subject')
  for (const email of findRepeatedValues(sentSubjects))
    problems.push(`an email was sent twice to ${email}`)
  return { problems, registered: rows.length, paid: paidRows.length }
}

function findDetailProblems(regNo: string, text: string): readonly string[] {
  const { payments, mails } = JSON.parse(text) as RegistrationDetails
  const problems: string[] = []
  const successCount = payments.filter(({ status }) => status === 'success').length
  if (successCount !== 1) problems.push(`${regNo} has ${successCount} successful payments`)
  const confirmationCount = payments
    .flatMap(({ facts }) => facts)
    .filter(({ type }) => type === 'confirmed').length
  if (confirmationCount !== 1)
    problems.push(`${regNo} had its payment confirmed ${confirmationCount} times`)
  if (mails.length !== 1) problems.push(`${regNo} has ${mails.length} emails in the queue`)
  return problems
}

function findRepeatedValues(values: readonly string[]): ReadonlySet<string> {
  const seenValues = new Set<string>()
  const repeatedValues = new Set<string>()
  for (const value of values) (seenValues.has(value) ? repeatedValues : seenValues).add(value)
  return repeatedValues
}

async function signIn(url: string, password: string): Promise<Readonly<Record<string, string>>> {
  const response = await fetch(`${url}/admin/login/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  })
  const { token } = (await response.json()) as { readonly token?: string }
  if (token === undefined) throw new Error(`the admin cannot sign in: ${response.status}`)
  return { authorization: `Bearer ${token}` }
}
