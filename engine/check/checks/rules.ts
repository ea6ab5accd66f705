/** EV3: the rules give every delegate exactly one category, every rule has a use, every condition a meaning. */
import { boxesOf, domainOf, everything, sayBox, type Domain } from '../proof/domain.ts'
import { intersect, subtract, TooLarge, WORK_MAX, type Box, type Budget } from '../proof/boxes.ts'
import type { Draft } from '../finding.ts'
import { constantsAt } from './names.ts'
import { nearest } from '../near.ts'
import type { Check, ConditionAt, Model } from '../model.ts'
import { join } from '../source.ts'

type RuleBoxes = {
  readonly boxes: readonly Box[]
  /** What the rule really catches: nobody above it did. */ readonly hit: readonly Box[]
}
export type RuleTable =
  | { readonly is: 'none' }
  | { readonly is: 'too-large' }
  | {
      readonly is: 'table'
      readonly domain: Domain
      readonly rules: readonly RuleBoxes[]
      /** Answers that no rule fits. */ readonly open: readonly Box[]
      readonly budget: Budget
    }

const tables = new WeakMap<Model, RuleTable>()

/** The rules as disjoint boxes; computed once per model. */
export function ruleTable(model: Model): RuleTable {
  const known = tables.get(model)
  if (known !== undefined) return known
  const made = makeTable(model)
  tables.set(model, made)
  return made
}

function makeTable({ config }: Model): RuleTable {
  const choice = config.categoryChoice
  if (choice.by === 'field') return { is: 'none' }
  const budget = { left: WORK_MAX }
  return withinBudget(
    (): RuleTable => {
      const domain = domainOf(
        config,
        choice.rules.flatMap(({ when }) => (when === null ? [] : [when])),
      )
      let open = subtract(domain.space, everything(domain), domain.impossible, budget)
      const rules = choice.rules.map(({ when }): RuleBoxes => {
        const boxes = when === null ? everything(domain) : boxesOf(domain, when)
        const hit = disjoint(domain, intersect(domain.space, open, boxes, budget), budget)
        open = subtract(domain.space, open, boxes, budget)
        return { boxes, hit }
      })
      return { is: 'table', domain, rules, open, budget }
    },
    { is: 'too-large' },
  )
}

function disjoint({ space }: Domain, boxes: readonly Box[], budget: Budget): readonly Box[] {
  return boxes.reduce<readonly Box[]>(
    (kept, box) => [...kept, ...subtract(space, [box], kept, budget)],
    [],
  )
}

function withinBudget<T>(work: () => T, otherwise: T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof TooLarge) return otherwise
    throw error
  }
}

const rulePath = (at: number): string => `category.rules.${at}`
const AFTER_NAMES = ['EV201', 'EV202', 'EV203', 'EV205', 'EV206', 'EV305', 'EV307', 'EV308']
/** How many of the open answers are printed; the rest is counted. */
const BOXES_SHOWN = 4

const ruleIncomplete: Check = {
  slug: 'rule-incomplete',
  severity: 'error',
  why: 'A delegate whom no rule fits has no price and cannot register.',
  after: [...AFTER_NAMES, 'EV303'],
  find: (model) => {
    const table = ruleTable(model)
    if (table.is !== 'table' || table.open.length === 0) return []
    const more = table.open.length - BOXES_SHOWN
    const notes = table.open
      .slice(0, BOXES_SHOWN)
      .map((box) => `no rule for ${sayBox(table.domain, box)}`)
    return [
      {
        at: 'category.rules',
        part: 'key',
        message: 'the rules leave some answers without a category',
        notes: more > 0 ? [...notes, `and ${more} more`] : notes,
        help: 'add a rule, or end with {otherwise: …}',
      },
    ]
  },
}

const ruleUnreachable: Check = {
  slug: 'rule-unreachable',
  severity: 'error',
  why: 'The rule says something that will never happen, so one of the two is a mistake.',
  after: [...AFTER_NAMES, 'EV303'],
  find: (model) => {
    const table = ruleTable(model)
    const choice = model.config.categoryChoice
    if (table.is !== 'table' || choice.by === 'field') return []
    return table.rules.flatMap(({ hit, boxes }, at): Draft[] => {
      if (hit.length > 0 || boxes.length === 0 || choice.rules[at]?.when === null) return []
      const takers = blamed(table, at)
      const named = takers.map((taker) => `rule ${taker + 1}`).join(' and ')
      return [
        {
          at: rulePath(at),
          message: 'this rule is never reached',
          related: takers.map((taker) => ({ at: rulePath(taker), message: 'taken here' })),
          notes: [
            takers.length === 0
              ? 'nobody can give the answers it asks for'
              : `everybody it fits is taken by ${named} above`,
          ],
        },
      ]
    })
  },
}

/** The fewest rules above that together take all of a rule: those that touch it, dropped one by one while the rest still covers. */
function blamed(
  { domain, rules, budget }: Extract<RuleTable, { is: 'table' }>,
  at: number,
): readonly number[] {
  const mine = rules[at]?.boxes ?? []
  const possible = withinBudget(() => subtract(domain.space, mine, domain.impossible, budget), mine)
  const covers = (takers: readonly number[]): boolean =>
    subtract(
      domain.space,
      possible,
      takers.flatMap((taker) => rules[taker]?.boxes ?? []),
      budget,
    ).length === 0
  const touching = rules.flatMap((_rule, other) =>
    other < at &&
    withinBudget(
      () => intersect(domain.space, possible, rules[other]?.boxes ?? [], budget).length > 0,
      true,
    )
      ? [other]
      : [],
  )
  return withinBudget(
    () =>
      touching.reduce<readonly number[]>(
        (kept, one) =>
          covers(kept.filter((other) => other !== one))
            ? kept.filter((other) => other !== one)
            : kept,
        touching,
      ),
    touching,
  )
}

const otherwiseNotLast: Check = {
  slug: 'otherwise-not-last',
  severity: 'error',
  why: '`otherwise` takes everybody who is left.',
  find: ({ file }) => {
    const rules = file.category.rules ?? []
    const first = rules.findIndex(({ otherwise }) => otherwise !== undefined)
    if (first === -1 || first === rules.length - 1) return []
    return [
      {
        at: rulePath(first),
        message: 'rules after `otherwise` are never reached',
        related: [{ at: rulePath(first + 1), message: 'the first of them' }],
        help: 'move it to the end',
      },
    ]
  },
}

const otherwiseUnused: Check = {
  slug: 'otherwise-unused',
  severity: 'warning',
  why: 'A rule for nobody suggests that the rules above take more than was meant.',
  after: [...AFTER_NAMES, 'EV303'],
  find: (model) => {
    const table = ruleTable(model)
    const choice = model.config.categoryChoice
    if (table.is !== 'table' || choice.by === 'field') return []
    return table.rules.flatMap(({ hit }, at): Draft[] =>
      choice.rules[at]?.when === null && hit.length === 0
        ? [{ at: rulePath(at), message: 'the rules above already cover every answer' }]
        : [],
    )
  },
}

/** What of a condition's maps can be true, and whether all of it always is. */
function truthOf(
  { config }: Model,
  { condition }: ConditionAt,
): { readonly never: readonly number[]; readonly always: boolean } | null {
  return withinBudget(() => {
    const budget = { left: WORK_MAX }
    const domain = domainOf(config, [condition])
    const possible = subtract(domain.space, everything(domain), domain.impossible, budget)
    const never = condition.flatMap((map, at) =>
      intersect(domain.space, possible, boxesOf(domain, [map]), budget).length === 0 ? [at] : [],
    )
    return {
      never,
      always: subtract(domain.space, possible, boxesOf(domain, condition), budget).length === 0,
    }
  }, null)
}

const neverTrue: Check = {
  slug: 'never-true',
  severity: 'error',
  why: 'What hangs on it never happens: a field that is never shown, a rule that never fits.',
  after: ['EV201', 'EV202', 'EV203', 'EV205', 'EV307', 'EV308'],
  find: (model) =>
    model.conditions.flatMap((one) => {
      const never = truthOf(model, one)?.never ?? []
      const whole = never.length === one.maps.length
      if (whole && never.length > 0)
        return [
          {
            at: one.path,
            message:
              one.maps.length > 1 ? 'none of these can ever be true' : 'this can never be true',
          },
        ]
      return never.map((at) => ({
        at: one.maps[at]?.path ?? one.path,
        message: 'this can never be true',
      }))
    }),
}

const alwaysTrue: Check = {
  slug: 'always-true',
  severity: 'warning',
  why: 'A condition that changes nothing was meant to change something.',
  after: ['EV201', 'EV202', 'EV203', 'EV205', 'EV305', 'EV307', 'EV308'],
  find: (model) =>
    model.conditions
      .filter(({ kind }) => kind !== 'rule')
      .flatMap((one) =>
        truthOf(model, one)?.always === true
          ? [{ at: one.path, message: 'this is always true', help: 'leave the condition out' }]
          : [],
      ),
}

const NUMBER_TESTS = ['at_least', 'at_most', 'above', 'below']

const wrongComparison: Check = {
  slug: 'wrong-comparison',
  severity: 'error',
  why: 'Answers are compared as what they are; a yes is never the text "yes".',
  find: (model) =>
    model.conditions.flatMap(({ maps }) =>
      maps.flatMap((map) =>
        map.tests.flatMap(({ field: id, raw, path }): readonly Draft[] => {
          const type =
            id === 'category' ? 'select' : model.fields.find((one) => one.id === id)?.field.type
          if (type === undefined) return []
          const keys =
            typeof raw === 'object' && raw !== null && !Array.isArray(raw) ? Object.keys(raw) : []
          const kinds = new Set(
            keys.map((key) =>
              NUMBER_TESTS.includes(key) ? 'number' : key === 'from' || key === 'to' ? 'date' : key,
            ),
          )
          if (kinds.size > 1)
            return [
              {
                at: path,
                message: `one test says one thing: ${[...keys].join(' and ')} do not go together`,
                help: 'write two conditions',
              },
            ]
          if (kinds.has('number') && type !== 'number')
            return [
              {
                at: path,
                message: `\`${id}\` is a ${type} field; at_least, at_most, above and below compare numbers`,
              },
            ]
          if (kinds.has('date') && type !== 'date')
            return [
              { at: path, message: `\`${id}\` is a ${type} field; from and to compare dates` },
            ]
          return constantsAt(raw, path).flatMap(({ value, at }) =>
            compared(model, id, type, value, at),
          )
        }),
      ),
    ),
}

function compared(
  model: Model,
  id: string,
  type: string,
  value: unknown,
  at: string,
): readonly Draft[] {
  const span = model.source.written(at)?.span
  const fix = (text: string) =>
    span === undefined ? {} : { fix: { start: span[0], end: span[1], text } }
  const what = `${typeof value === 'string' ? 'the text' : typeof value === 'number' ? 'the number' : 'the yes or no'} \`${String(value)}\``
  const message = `\`${id}\` is a ${type} field; it is never ${what}`
  if (type === 'yes-no') {
    if (typeof value === 'boolean') return []
    const meant = { yes: 'true', no: 'false', true: 'true', false: 'false' }[
      String(value).toLowerCase()
    ]
    return [
      {
        at,
        message,
        ...(meant === undefined
          ? { help: 'write true or false' }
          : { help: `write ${meant}`, ...fix(meant) }),
      },
    ]
  }
  if (type === 'number')
    return typeof value === 'number' ? [] : [{ at, message, help: 'write a number' }]
  if (typeof value === 'string')
    return type === 'date' && !/^\d{4}-\d\d-\d\d$/.test(value)
      ? [{ at, message, help: 'write a day, such as 2026-01-31' }]
      : []
  const legal =
    model.fields.find((one) => one.id === id)?.field.options?.map((option) => option.id) ?? []
  const near = nearest(String(value), legal)
  const quoted = JSON.stringify(model.source.written(at)?.text ?? String(value))
  return [
    { at, message, help: near === null ? `write ${quoted} for the text` : `write ${near.name}` },
  ]
}

const visibilityCycle: Check = {
  slug: 'visibility-cycle',
  severity: 'error',
  why: 'A field that is shown only when it is hidden is neither.',
  after: ['EV201', 'EV206'],
  find: (model) => {
    const { config } = model
    const asks = (id: string): readonly string[] => {
      const choice = config.categoryChoice
      if (id === 'category')
        return choice.by === 'field'
          ? [choice.field]
          : choice.rules.flatMap(({ when }) => (when ?? []).flat().map(({ field }) => field))
      const field = config.fields.find((one) => one.id === id)
      return field === undefined
        ? []
        : [...(field.showWhen ?? []), ...(config.sections[field.section]?.showWhen ?? [])]
            .flat()
            .map(({ field }) => field)
    }
    const walk = (id: string, way: readonly string[]): readonly string[] | null => {
      if (way.includes(id)) return id === way[0] ? [...way, id] : null
      if (way.length > 50) return null
      for (const next of new Set(asks(id))) {
        const found = walk(next, [...way, id])
        if (found !== null) return found
      }
      return null
    }
    const told = new Set<string>()
    return model.fields.flatMap(({ id, path, raw }): Draft[] => {
      const circle = told.has(id) ? null : walk(id, [])
      if (circle === null) return []
      for (const one of circle) told.add(one)
      const section = path.split('.').slice(0, 3).join('.')
      return [
        {
          at: raw.show_when === undefined ? join(section, 'show_when') : join(path, 'show_when'),
          message: `whether \`${id}\` is shown depends on itself`,
          notes: [circle.join(' → ')],
        },
      ]
    })
  },
}

const tooLarge: Check = {
  slug: 'too-large-to-prove',
  severity: 'note',
  why: 'What was not proved must not be taken for proved.',
  after: AFTER_NAMES,
  find: (model) =>
    ruleTable(model).is === 'too-large'
      ? [
          {
            at: 'category.rules',
            part: 'key',
            message: 'the rule table is too large to prove complete',
            notes: [`the proof was given up after ${WORK_MAX} steps`],
            help: 'end with {otherwise: …}, and add examples',
          },
        ]
      : [],
}

const categoryNeverGiven: Check = {
  slug: 'category-never-given',
  severity: 'error',
  why: 'A category with a price that nobody ever gets, or one that is only listed and yet given.',
  after: ['EV203', 'EV206'],
  find: ({ file, config }) => {
    const choice = config.categoryChoice
    if (choice.by === 'field') return []
    const given = choice.rules.map(({ then }) => then)
    return [
      ...file.categories.flatMap(({ id, listed_only: listedOnly }, at): Draft[] =>
        listedOnly === true || given.includes(id)
          ? []
          : [
              {
                at: `categories.${at}.id`,
                message: `no rule ever gives the category \`${id}\``,
                help: 'add a rule, or mark it listed_only: true',
              },
            ],
      ),
      ...choice.rules.flatMap(({ then, when }, at): Draft[] => {
        const listed = file.categories.findIndex(
          ({ id, listed_only: listedOnly }) => id === then && listedOnly === true,
        )
        return listed === -1
          ? []
          : [
              {
                at: join(rulePath(at), when === null ? 'otherwise' : 'then'),
                message: `\`${then}\` is only listed, and this rule gives it`,
                related: [{ at: `categories.${listed}`, message: 'listed_only here' }],
                help: 'remove listed_only, or give another category',
              },
            ]
      }),
    ]
  },
}

const comparesFreeText: Check = {
  slug: 'compares-free-text',
  severity: 'warning',
  why: 'People spell names in many ways; a rule on free text catches one of them.',
  after: ['EV201', 'EV307'],
  find: (model) =>
    model.conditions.flatMap(({ maps }) =>
      maps.flatMap((map) =>
        map.tests.flatMap(({ field: id, raw, path }) => {
          const type = model.fields.find((one) => one.id === id)?.field.type
          if (type === undefined || !['text', 'multiline', 'email', 'phone', 'file'].includes(type))
            return []
          return constantsAt(raw, path).map(({ value, at }) => ({
            at,
            message: `\`${id}\` is free text; comparing it with \`${String(value)}\` fails on any other spelling`,
            help: 'make it a select field',
          }))
        }),
      ),
    ),
}

const ruleRedundant: Check = {
  slug: 'rule-redundant',
  severity: 'warning',
  why: 'A rule that changes nothing makes the table harder to read, and was meant to change something.',
  after: [...AFTER_NAMES, 'EV301', 'EV302', 'EV303', 'EV304'],
  find: (model) => {
    const table = ruleTable(model)
    const choice = model.config.categoryChoice
    if (table.is !== 'table' || choice.by === 'field') return []
    return choice.rules.flatMap(({ then, when }, at): Draft[] => {
      if (
        when === null ||
        !changesNothing(
          table,
          choice.rules.map((rule) => rule.then),
          at,
        )
      )
        return []
      return [
        {
          at: rulePath(at),
          message: 'removing this rule changes nothing',
          notes: [`the rules below give \`${then}\` to the same people`],
        },
      ]
    })
  },
}

function changesNothing(
  { domain, rules, budget }: Extract<RuleTable, { is: 'table' }>,
  gives: readonly string[],
  at: number,
): boolean {
  return withinBudget(() => {
    let left = rules[at]?.hit ?? []
    for (let below = at + 1; below < rules.length && left.length > 0; below += 1) {
      const boxes = rules[below]?.boxes ?? []
      if (gives[below] !== gives[at] && intersect(domain.space, left, boxes, budget).length > 0)
        return false
      left = subtract(domain.space, left, boxes, budget)
    }
    return left.length === 0
  }, false)
}

export const rules = {
  EV301: ruleIncomplete,
  EV302: ruleUnreachable,
  EV303: otherwiseNotLast,
  EV304: otherwiseUnused,
  EV305: neverTrue,
  EV306: alwaysTrue,
  EV307: wrongComparison,
  EV308: visibilityCycle,
  EV309: tooLarge,
  EV310: categoryNeverGiven,
  EV311: comparesFreeText,
  EV312: ruleRedundant,
}
