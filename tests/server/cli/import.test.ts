/** `rollcall registration import`: reads another system's registrations from a CSV file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRegNo } from '../../../engine/index.ts'
import { readEvent } from '../../../engine/authoring.ts'
import type { EventConfig } from '../../../engine/index.ts'
import type { RegistrationResponse } from '../../../engine/api.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { main } from '../../../server/cli/run-command.ts'
import { readEnvironment } from '../../../server/ops/environment.ts'
import { readImportText } from './import-text.ts'
import { LIST_LIMITS, readLines } from '../../../server/office/spreadsheets/parse-csv.ts'
import type { CsvProblem } from '../../../server/office/spreadsheets/parse-csv.ts'
import { drawRegNo } from '../../../server/registration/create-registration.ts'
import type { ImportRow } from '../../../server/storage/index.ts'
import { sharedFiles, readSource } from '../../engine/event-files.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { signIn } from '../office/office.ts'
import { openStoreInProcess } from '../store-without-threads.ts'

const CSV_HEADER =
  'id,reg_no,full_name,ksmc_reg_no,email,phone_number,registration_category_display,food_preference_display,final_amount,registration_fee,accompanying_persons_fee,accompanying_persons_count,payment_status,payment_status_display,payment_id,created_at'
const VALID_CSV = [
  CSV_HEADER,
  '17,PULMO-2025-17,Dr. Example Old,EXAMPLE-1,old@example.org,+919800000001,APCCM Member,Vegetarian,"₹ 7,080",6000,1080.50,1,success,Success,PAY17,2025-07-30 18:30:00',
  '18,PULMO-2025-18,"Dr. Sample, Old",,,,pg-students,,4000,,,,Pending,,,2025-08-01',
]

let folder: string
let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-import-'))
  return () => rmSync(folder, { recursive: true, force: true })
})

const readPulmocon = () => {
  const servedEvent = app.deps.events.findById('pulmocon2025')
  if (servedEvent === null) throw new Error('the event is not served')
  return servedEvent.config
}
const check = (lines: readonly string[]): readonly CsvProblem[] => {
  const importResult = readImportText(readPulmocon(), 'hash', lines.join('\n'))
  return importResult.ok ? [] : importResult.error
}

/** Runs `rollcall registration import`. Returns its status and output. */
async function run(...args: string[]): Promise<{ status: number; output: string; errors: string }> {
  const output: string[] = []
  const errors: string[] = []
  const environmentResult = readEnvironment({
    DATA_DIR: join(folder, 'var'),
    EVENTS_DIR: app.eventsDir,
  })
  const status = await main(['registration', 'import', ...args], {
    print: (text) => void output.push(text),
    printError: (text) => void errors.push(text),
    environment: () => (environmentResult.ok ? environmentResult.value : null),
  })
  return { status, output: output.join('\n'), errors: errors.join('\n') }
}
const writeCsv = (lines: readonly string[]): string => {
  const file = join(folder, 'old.csv')
  writeFileSync(file, lines.join('\r\n'))
  return file
}
async function countStored(): Promise<number> {
  const store = await openStoreInProcess({ dataDir: join(folder, 'var') })
  try {
    return (await store.listPage({ eventId: 'pulmocon2025', answers: {} }, 1, 100)).count
  } finally {
    await store.close()
  }
}

test('converts a row to a registration: labels to values, amounts to paise, times to Indian time, empty cells to no answer', () => {
  const importResult = readImportText(readPulmocon(), 'hash', VALID_CSV.join('\n'))
  expect(importResult.ok && importResult.value).toEqual([
    {
      line: 2,
      row: {
        eventId: 'pulmocon2025',
        eventHash: 'hash',
        formerNo: 'PULMO-2025-17',
        answers: {
          full_name: 'Dr. Example Old',
          ksmc_reg_no: 'EXAMPLE-1',
          email: 'old@example.org',
          phone_number: '+919800000001',
          registration_category: 'apccm-member',
          food_preference: 'vegetarian',
          registration_fee: 6000,
          accompanying_persons_fee: 1080.5,
          accompanying_persons_count: 1,
        },
        searchable: {
          fullName: 'Dr. Example Old',
          email: 'old@example.org',
          phone: '+919800000001',
          councilNo: 'EXAMPLE-1',
        },
        category: 'apccm-member',
        period: null,
        base: null,
        gst: null,
        total: 708_000,
        currency: 'INR',
        paymentStatus: 'success',
        paymentId: 'PAY17',
        createdAt: Date.parse('2025-07-30T13:00:00Z'),
        paidAt: null,
      },
    },
    {
      line: 3,
      row: {
        eventId: 'pulmocon2025',
        eventHash: 'hash',
        formerNo: 'PULMO-2025-18',
        answers: { full_name: 'Dr. Sample, Old', registration_category: 'pg-students' },
        searchable: { fullName: 'Dr. Sample, Old', email: '', phone: '', councilNo: '' },
        category: 'pg-students',
        period: null,
        base: null,
        gst: null,
        total: 400_000,
        currency: 'INR',
        paymentStatus: 'pending',
        paymentId: null,
        createdAt: Date.parse('2025-08-01T06:30:00Z'),
        paidAt: null,
      },
    },
  ])
})

describe('reads lists from a cell', () => {
  const path = 'tests/events/nidancon2027.yaml'
  const conference = readEvent(readSource(path).text, sharedFiles, { path }) as EventConfig
  const readAnswer = (column: string, cell: string): unknown => {
    const quoted = `"${cell.replaceAll('"', '""')}"`
    const result = readImportText(
      conference,
      'hash',
      `reg_no,payment_status,created_at,${column}\nNIDAN1,success,2026-12-24,${quoted}`,
    )
    return result.ok ? result.value[0]?.row.answers[column] : result.error[0]?.message
  }
  test.each([
    [
      'in our export format',
      'Ultrasound at the bedside (Hall A, 9 AM), Writing a paper (Hall B, 3 PM)',
    ],
    ['as ids', 'writing; ultrasound'],
    ['as JSON', '["ultrasound", "writing"]'],
  ])('reads options %s', (_how, cell) => {
    expect(readAnswer('workshops', cell)).toEqual(['ultrasound', 'writing'])
  })

  test.each([
    ['in our export format', 'Mini Sample, 4, Vegetarian; Ravi Sample, 45, Non-Vegetarian'],
    [
      'as JSON',
      '[{"name":"Mini Sample","age":4,"food":"vegetarian"},{"name":"Ravi Sample","age":"45","food":"non-vegetarian"}]',
    ],
  ])('reads accompanying people %s', (_how, cell) => {
    expect(readAnswer('companions', cell)).toEqual([
      { name: 'Mini Sample', age: 4, food: 'vegetarian' },
      { name: 'Ravi Sample', age: 45, food: 'non-vegetarian' },
    ])
  })

  test('reads accompanying people’s dates of birth in the export’s format', () => {
    const marathonPath = 'tests/events/nilarun2027.yaml'
    const marathon = readEvent(readSource(marathonPath).text, sharedFiles, {
      path: marathonPath,
    }) as EventConfig
    const importResult = readImportText(
      marathon,
      'hash',
      'reg_no,payment_status,created_at,family\nNILA1,success,2026-12-24,"Mini Sample, 5 May 2022"',
    )
    expect(importResult.ok && importResult.value[0]?.row.answers['family']).toEqual([
      { name: 'Mini Sample', born_on: '2022-05-05' },
    ])
  })

  test.each([
    ['workshops', 'ecg, knitting', /“knitting” is not one of ultrasound, airway/],
    ['companions', 'Mini Sample, 4', /“Mini Sample, 4” must have 3 answers.*\[\{"name": "…"\}\]/],
    ['companions', 'Mini Sample, four, Vegetarian', /age: “four” is not a number/],
    ['companions', '[{"nam":"Mini"}]', /“nam” is not one of name, age, food/],
  ])('reports the error in %s: %s', (column, cell, expected) => {
    expect(readAnswer(column, cell)).toMatch(expected)
  })
})

describe('reports an error with its line', () => {
  const header =
    'reg_no,full_name,payment_status,created_at,base_amount,gst_amount,final_amount,registration_category,accompanying_persons_count,email'
  const buildLine = (changes: Record<string, string>): string => {
    const defaultCells: Record<string, string> = {
      reg_no: 'PULMO1',
      full_name: 'Dr. Example',
      payment_status: 'success',
      created_at: '2025-08-01',
    }
    return header
      .split(',')
      .map((name) => changes[name] ?? defaultCells[name] ?? '')
      .join(',')
  }
  test.each<[string, Record<string, string>, string]>([
    [
      'another event’s number',
      { reg_no: 'CHIR17' },
      'reg_no: “CHIR17” is not a registration number of PULMOCON 2025.',
    ],
    ['a missing number', { reg_no: '' }, 'The registration number is missing.'],
    [
      'an unknown status',
      { payment_status: 'done' },
      'payment_status: “done” must be pending, success, failed or refunded.',
    ],
    ...['Needs review', 'Review'].map((status): [string, Record<string, string>, string] => [
      `${status}, which an export writes for a payment under review`,
      { payment_status: status },
      `payment_status: “${status}” means that a payment is under review, and the file does not contain that payment. Decide on it in the other system and export again. Or write pending here, and record the payment after the import.`,
    ]),
    [
      'Registered, which an export writes if the delegate was never asked to pay',
      { payment_status: 'Registered' },
      'payment_status: “Registered” means that the delegate was not asked to pay the price. Write success and leave the amounts empty, or write pending if payment is still due.',
    ],
    ['a missing status', { payment_status: '' }, 'The payment status is missing.'],
    [
      'an Indian date',
      { created_at: '01/08/2025' },
      'created_at: “01/08/2025” is not a date. Write 2025-09-01, 2025-09-01 14:30 (Indian time) or 2025-09-01T14:30:00+05:30.',
    ],
    [
      'an invalid date',
      { created_at: '2025-02-30' },
      'created_at: “2025-02-30” is not a date. Write 2025-09-01, 2025-09-01 14:30 (Indian time) or 2025-09-01T14:30:00+05:30.',
    ],
    ['a missing date', { created_at: '' }, 'The date of registration is missing.'],
    [
      'an invalid amount',
      { final_amount: '7080.005' },
      'total: “7080.005” is not an amount in rupees.',
    ],
    [
      'parts that do not add up',
      { base_amount: '6000', gst_amount: '1080', final_amount: '7000' },
      'base 6000 and gst 1080 do not add up to the total 7000.',
    ],
    [
      'an unknown category',
      { registration_category: 'vip' },
      'registration_category: “vip” is not one of apccm-member, non-apccm-member, pg-students.',
    ],
    [
      'an invalid number',
      { accompanying_persons_count: 'two' },
      'accompanying_persons_count: “two” is not a number.',
    ],
    ['an invalid email address', { email: 'foobar' }, 'email: “foobar” is not an email address.'],
  ])('%s', (_name, change, message) =>
    expect(check([header, buildLine({}).replace('PULMO1', 'PULMO9'), buildLine(change)])).toEqual([
      { line: 3, message },
    ]),
  )

  test('reports every invalid line, not only the first', () =>
    expect(
      check([
        header,
        buildLine({ reg_no: 'X' }),
        buildLine({}),
        buildLine({ payment_status: '?', created_at: '?' }),
      ]).map((problem) => problem.line),
    ).toEqual([2, 4, 4]))
  test('rejects a duplicate registration number', () =>
    expect(check([header, buildLine({}), buildLine({})])).toEqual([
      { line: 3, message: 'PULMO1 is already in line 2.' },
    ]))
  test('rejects a payment that is listed twice in the file', () => {
    const extendedHeader = `${header},payment_id`
    const firstRow = buildLine({ payment_status: 'success' })
    const secondRow = buildLine({ reg_no: 'PULMO2', payment_status: 'success' })
    expect(
      check([extendedHeader, `${firstRow},UTR 526123456702`, `${secondRow},5261 2345 6702`]),
    ).toEqual([
      {
        line: 3,
        message:
          'payment_id: “5261 2345 6702” is already in line 2. Leave the cell empty if that payment paid for both.',
      },
    ])
    expect(check([extendedHeader, `${firstRow},cash`, `${secondRow},cash`])).toEqual([])
  })
  test('rejects a line that has too few cells', () =>
    expect(check([header, 'PULMO1,Dr. Example'])).toEqual([
      { line: 2, message: 'The line has 2 cells, but there are 10 headings.' },
    ]))
  test('numbers lines as an editor does, even if a cell contains a line break', () =>
    expect(
      check([header, buildLine({ full_name: '"Dr.\nExample"' }), buildLine({ reg_no: 'X' })]).map(
        ({ line }) => line,
      ),
    ).toEqual([4]))
  test('rejects a quote that is never closed', () =>
    expect(check([header, 'PULMO1,"Dr. Example'])[0]?.message).toMatch(/^This is not valid CSV: /))
  test('rejects an unknown column, and reports a missing one', () => {
    const [first, ...others] = check(['reg_no,fullname,created_at', 'PULMO1,x,2025-08-01'])
    expect(first?.message).toMatch(
      /^PULMOCON 2025 has no column “fullname”\. Available: full_name, email, /,
    )
    expect(others).toEqual([{ line: 1, message: 'The column “payment_status” is missing.' }])
  })
  test('rejects two columns for the same value', () =>
    expect(
      check([
        'reg_no,payment_status,created_at,final_amount,amount',
        'PULMO1,success,2025-08-01,1,1',
      ]),
    ).toEqual([{ line: 1, message: '“final_amount” and “amount” are the same column.' }]))
  test.each([
    ['an empty file', ''],
    ['only headings', header],
  ])('%s', (_name, text) =>
    expect(check([text])).toEqual([{ line: null, message: 'The file has no registrations.' }]),
  )
})

describe('the command', () => {
  test('imports all rows, and changes nothing when repeated', async () => {
    const file = writeCsv(VALID_CSV)
    expect(await run('pulmocon2025', file)).toEqual({
      status: 0,
      output: '2 registrations imported into PULMOCON 2025.',
      errors: '',
    })
    expect(await countStored()).toBe(2)
    expect((await run('pulmocon2025', file)).output).toBe(
      '0 registrations imported into PULMOCON 2025; 2 registrations already existed.',
    )
    expect(await countStored()).toBe(2)
  })

  test('stores nothing if one line is invalid', async () => {
    const file = writeCsv([
      ...VALID_CSV,
      '19,PULMO-19,Dr. Bad,,,,unknown,,,,,,success,,,2025-08-01',
    ])
    const commandResult = await run('pulmocon2025', file)
    expect(commandResult.status).toBe(1)
    expect(commandResult.errors).toBe(
      `${file}:4: registration_category_display: “unknown” is not one of apccm-member, non-apccm-member, pg-students.\nNothing was imported.`,
    )
    expect(await countStored()).toBe(0)
  })

  test('rejects the file if a stored registration has different answers', async () => {
    await run('pulmocon2025', writeCsv(VALID_CSV))
    const file = writeCsv([
      VALID_CSV[0] ?? '',
      '20,PULMO-20,Dr. New,,,,pg-students,,,,,,success,,,2025-08-01',
      (VALID_CSV[1] ?? '').replace('Old', 'Changed'),
    ])
    const commandResult = await run('pulmocon2025', file)
    expect(commandResult).toEqual({
      status: 1,
      output: '',
      errors: `${file}:3: PULMO-2025-17 is already stored with other data.\nNothing was imported.`,
    })
    expect(await countStored()).toBe(2)
  })

  test.each([
    [[], 2],
    [['pulmocon2025'], 2],
    [['pulmocon2025', '/nowhere/at-all.csv'], 2],
  ])('prints its usage for %j', async (args, status) => {
    const commandResult = await run(...args)
    expect(commandResult.status).toBe(status)
    expect(commandResult.errors).not.toBe('')
  })

  test('reports the unknown event and lists the known ones', async () => {
    const commandResult = await run('pulmocon', writeCsv(VALID_CSV))
    expect(commandResult.status).toBe(2)
    expect(commandResult.errors).toBe(
      'No event "pulmocon". Events: afpicon2026, chirurgia2026, midzone2025, pulmocon2025.',
    )
  })
})

/** Reads a file's rows, and generates registration numbers as the command does. */
const readNumbered = (lines: readonly string[]): ImportRow[] => {
  const importResult = readImportText(
    readPulmocon(),
    app.deps.events.findById('pulmocon2025')?.hash ?? '',
    lines.join('\n'),
  )
  if (!importResult.ok) throw new Error('the file must be valid')
  return importResult.value.map(({ row }) => ({ ...row, regNo: drawRegNo(readPulmocon()) }))
}

test('replaces sequential numbers with random ones and also stores the old number; does not replace numbers in our format', async () => {
  const generatedNumber = drawRegNo(readPulmocon())
  const file = writeCsv([
    ...VALID_CSV,
    `19,${generatedNumber},Dr. Ours,,,,pg-students,,,,,,success,,,2025-08-01`,
  ])
  expect((await run('pulmocon2025', file)).status).toBe(0)
  const store = await openStoreInProcess({ dataDir: join(folder, 'var') })
  try {
    const regNos = [
      await store.registrationByFormerNumber('pulmocon2025', 'PULMO-2025-17'),
      await store.registrationByFormerNumber('pulmocon2025', 'PULMO-2025-18'),
      await store.registrationByFormerNumber('pulmocon2025', generatedNumber),
    ].map((entry) => entry?.regNo ?? '')
    expect(regNos.map((number) => isRegNo(readPulmocon(), number))).toEqual([true, true, true])
    expect([new Set(regNos).size, regNos[2]]).toEqual([3, generatedNumber])
  } finally {
    await store.close()
  }
})

describe('a link with an old sequential number', () => {
  const url = '/api/registrations/PULMO-2025-17/'
  const openWithEmail = (testApp: TestApp, email: unknown, path = url) =>
    testApp.app.inject({ method: 'POST', url: path, payload: { email } })

  let server: TestApp
  let newRegNo = ''
  beforeAll(async () => {
    server = await startTestApp({ variables: { RATE_LIMITS: 'on' } })
    const rows = readNumbered(VALID_CSV)
    newRegNo = rows[0]?.regNo ?? ''
    await server.deps.store.importRegistrations(rows)
  })
  afterAll(() => server.close())

  test('asks for the email address, then shows the registration under its new number', async () => {
    const lookup = await server.app.inject(url)
    expect([lookup.statusCode, lookup.json()]).toEqual([
      403,
      {
        status: 'error',
        code: 'email_needed',
        message:
          'This registration was moved here from another system. Please enter the email address you registered with.',
      },
    ])
    expect(lookup.body).not.toContain('Example')
    expect((await openWithEmail(server, { $ne: 1 })).statusCode).toBe(422)
    for (const invalidEmail of ['other@example.org', '', 7])
      expect((await openWithEmail(server, invalidEmail)).json<{ code: string }>().code).toBe(
        'email_differs',
      )
    const response = await openWithEmail(server, ' OLD@example.org ')
    expect([
      response.statusCode,
      response.json<RegistrationResponse>().registration.reg_no,
    ]).toEqual([200, newRegNo])
    expect((await server.app.inject(`/api/registrations/${newRegNo}/`)).statusCode).toBe(200)
  })

  test('cannot be used if the registration has no email address', async () => {
    for (const email of ['', undefined, null])
      expect(
        (await openWithEmail(server, email, '/api/registrations/PULMO-2025-18/')).statusCode,
      ).toBe(403)
  })

  test('does not retry a payment automatically', async () => {
    const retryResponse = await server.app.inject({
      method: 'POST',
      url: '/api/payment/retry/',
      payload: { order_id: 'PULMO-2025-17' },
    })
    expect(retryResponse.statusCode).toBe(404)
  })

  test('even correct sequential numbers count as guesses, so that neighbouring registrations cannot be found by counting', async () => {
    const statuses: number[] = []
    for (let attempt = 0; attempt < 21; attempt++)
      statuses.push(
        (
          await server.app.inject({
            url: `/api/registrations/PULMO-2025-${17 + (attempt % 2)}/`,
            remoteAddress: '192.0.2.9',
          })
        ).statusCode,
      )
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 403), 429])
  })
})

test('the office lists imported rows, and its export can be imported elsewhere', async () => {
  const rows = readNumbered(VALID_CSV)
  await app.deps.store.importRegistrations(rows)
  const office = await signIn(app)
  const { registrations } = (await office.json(
    '/admin/pulmocon/registrations/?payment_status=success',
  )) as unknown as { registrations: object[] }
  expect(registrations).toMatchObject([
    {
      reg_no: rows[0]?.regNo,
      registration_category_display: 'APCCM Member',
      food_preference_display: 'Vegetarian',
      final_amount: 7080,
      registration_fee: 6000,
      accompanying_persons_fee: 1080.5,
      accompanying_persons_count: 1,
      base: null,
      gst: null,
      payment_id: 'PAY17',
      created_at: '2025-07-30T18:30:00+05:30',
    },
  ])
  const csv = (await office.get('/admin/export/?event_type=pulmocon')).body
  const reimportResult = readImportText(
    readPulmocon(),
    app.deps.events.findById('pulmocon2025')?.hash ?? '',
    csv,
  )
  if (!reimportResult.ok) throw new Error(JSON.stringify(reimportResult.error))
  expect(
    reimportResult.value.map(({ row }) => row).toSorted((a, b) => a.createdAt - b.createdAt),
  ).toEqual(rows.map(({ regNo, ...row }) => ({ ...row, formerNo: regNo })))
  const page = await office.json(`/admin/registrations/${rows[0]?.regNo}/`)
  expect(page['answers']).toContainEqual({
    id: 'former_no',
    label: 'Number before import',
    text: 'PULMO-2025-17',
  })
})

describe('an event with two currencies', () => {
  const file = readSource('tests/events/dunecon2027.yaml')
  const readRow = (category: string, currency: string) => {
    const event = readEvent(file.text, sharedFiles, file)
    if (event === null) throw new Error('the file has errors')
    const lines = [
      'reg_no,full_name,category,total,payment_status,created_at,Currency',
      `DUNE17,Erika Beispiel,${category},177,pending,2027-07-30,${currency}`,
    ]
    const result = readImportText(event, 'hash', lines.join('\n'))
    return result.ok
      ? result.value.map(({ row }) => [row.total, row.currency])
      : result.error.map(({ message }) => message)
  }

  test("accepts the event's own export, which has a “Currency” column", () => {
    expect(readRow('foreign', 'USD')).toEqual([[17_700, 'USD']])
  })

  test('rejects an amount in rupees for a category that pays in dollars', () => {
    expect(readRow('foreign', 'INR')).toEqual([
      'currency: the category is paid in USD, not in INR.',
    ])
  })
})

test.each([
  ['number,name', 'M1,Asha; Dr; Kochi'],
  ['number,name', 'M1,Asha\tDr\tKochi'],
  ['name', 'Asha; Dr; Kochi'],
])('with the headings "%s", a name is not split at semicolons or tabs: %s', (headings, row) => {
  const splitCells = (line: string): string[] => line.split(',')
  expect(readLines(`\n${headings}\n${row}\n`, LIST_LIMITS)).toEqual({
    ok: true,
    value: [
      { line: 2, cells: splitCells(headings) },
      { line: 3, cells: splitCells(row) },
    ],
  })
})

test('if a file’s headings are separated by semicolons or tabs, its rows are split at them too', () => {
  for (const delimiter of [';', '\t'])
    expect(readLines(`number${delimiter}name\nM1${delimiter}Nair, Asha\n`, LIST_LIMITS)).toEqual({
      ok: true,
      value: [
        { line: 1, cells: ['number', 'name'] },
        { line: 2, cells: ['M1', 'Nair, Asha'] },
      ],
    })
})
