/**
 * Lists distinct answers of multiple-choice and people fields.
 *
 * Options and people that nothing distinguishes are equivalent, so only their number matters.
 */
import type { Answer, Condition, Person, Test } from '../../event/answer-types.ts'
import { passesTest } from '../../rules/conditions-and-operators.ts'
import type { Field } from '../../event/config.ts'
import { getPersonFields } from '../../answers/field-types.ts'
import { fromPairs } from '../../lib/result.ts'
import { TooLarge } from './sets-of-answers.ts'

/** The maximum number of answers listed for a field. A proof that needs a field with more answers is abandoned. */
const MAX_LISTED_ANSWERS = 4096

/** A partial choice while the options are decided one by one. */
type Choice = {
  readonly chosen: readonly string[]
  readonly total: number
  /** The number of each kind of option. */
  readonly counts: readonly number[]
}

/**
 * Returns one non-empty choice for each class of equivalent answers, in the order of the options. In addition to the
 * tests, a property such as the price may distinguish options. Throws TooLarge.
 */
export function listDistinctChoices(
  field: Field,
  tests: readonly Test[],
  getOptionKey: ((option: string) => string) | null,
): readonly (readonly string[])[] {
  const { choose, options = [] } = field
  const groups = choose?.mutuallyExclusive ?? []
  const order = sortByExclusion(
    options.map(({ id }) => id),
    groups,
  )
  const describeKind = (id: string): string =>
    JSON.stringify([
      getOptionKey?.(id) ?? '',
      tests.map((test) => test.is === 'has' && test.values.includes(id)),
    ])
  const kinds = [...new Set(order.map(describeKind))]
  // If the option does not determine a price, a second option of the same kind changes only the number of options.
  const maxCount = getOptionKey === null ? 1 : Infinity
  const thresholds = tests.flatMap((test) =>
    test.is === 'count'
      ? [test.atLeast, test.atMost, test.above, test.below].filter(
          (threshold) => threshold !== undefined,
        )
      : [],
  )
  const totalCap = choose?.atMost ?? Math.max(choose?.atLeast ?? 0, 0, ...thresholds) + 1
  const maxChosen = choose?.atMost ?? Infinity
  let choices: readonly Choice[] = [{ chosen: [], total: 0, counts: kinds.map(() => 0) }]
  order.forEach((id, index) => {
    const kind = kinds.indexOf(describeKind(id))
    const nextChoices = new Map<string, Choice>()
    const openGroups = groups.filter((group) =>
      group.some((candidate) => order.indexOf(candidate) > index),
    )
    const addChoice = (choice: Choice): void => {
      const chosenGroups = openGroups.map((group) =>
        group
          .filter((candidate) => order.indexOf(candidate) <= index)
          .every((id) => choice.chosen.includes(id)),
      )
      const key = `${Math.min(choice.total, totalCap)} ${choice.counts.join()} ${chosenGroups.join()}`
      if (!nextChoices.has(key)) nextChoices.set(key, choice)
    }
    for (const choice of choices) {
      addChoice(choice)
      const chosen = [...choice.chosen, id]
      if (
        chosen.length <= maxChosen &&
        !groups.some(
          (group) => group.includes(id) && group.every((candidate) => chosen.includes(candidate)),
        )
      )
        addChoice({
          chosen,
          total: choice.total + 1,
          counts: choice.counts.map((count, index) =>
            index === kind ? Math.min(count + 1, maxCount) : count,
          ),
        })
    }
    if (nextChoices.size > MAX_LISTED_ANSWERS) throw new TooLarge()
    choices = [...nextChoices.values()]
  })
  return choices
    .filter(({ total }) => total > 0 && total >= (choose?.atLeast ?? 0))
    .map(({ chosen }) => options.flatMap(({ id }) => (chosen.includes(id) ? [id] : [])))
}

/** Sorts options so that mutually exclusive options are adjacent, which keeps the number of states low. */
function sortByExclusion(
  ids: readonly string[],
  groups: readonly (readonly string[])[],
): readonly string[] {
  const order = new Set<string>()
  const add = (id: string): void => {
    if (order.has(id)) return
    order.add(id)
    for (const group of groups)
      if (group.includes(id)) group.filter((candidate) => ids.includes(candidate)).forEach(add)
  }
  ids.forEach(add)
  return [...order]
}

/**
 * Returns distinct lists of people, with every allowed number of each kind of person that `countConditions`
 * distinguish. `listPartAnswers` returns the possible answers to one of a person's fields; undefined means not
 * answered. Throws TooLarge.
 */
export function listDistinctPeople(
  field: Field,
  tests: readonly Test[],
  countConditions: readonly Condition[],
  listPartAnswers: (part: Field, tests: readonly Test[]) => readonly (Answer | undefined)[],
): readonly (readonly Person[])[] {
  const kinds = listKindsOfPeople(field, countConditions, listPartAnswers)
  const [fewest, max] = [Math.max(field.min ?? 0, 1), field.max ?? 0]
  if (kinds.length === 1) {
    const [onlyKind] = kinds
    const thresholds = tests.flatMap((test) =>
      test.is === 'count' ? [test.atLeast, test.atMost, test.above, test.below] : [],
    )
    const sizes = [
      fewest,
      max,
      ...thresholds.flatMap((n) => (n === undefined ? [] : [n - 1, n, n + 1])),
    ]
    return [...new Set(sizes)]
      .filter((size) => size >= fewest && size <= max)
      .sort((a, b) => a - b)
      .map((size) => Array.from({ length: size }, () => onlyKind ?? {}))
  }
  let lists: readonly (readonly Person[])[] = [[]]
  for (const kind of kinds) {
    lists = lists.flatMap((list) =>
      Array.from({ length: max - list.length + 1 }, (_, extra) => [
        ...list,
        ...Array.from({ length: extra }, () => kind),
      ]),
    )
    if (lists.length > MAX_LISTED_ANSWERS) throw new TooLarge()
  }
  return lists.filter(({ length }) => length >= fewest)
}

/** Returns one person for each possible combination of test results in the conditions. */
function listKindsOfPeople(
  field: Field,
  countConditions: readonly Condition[],
  listPartAnswers: (part: Field, tests: readonly Test[]) => readonly (Answer | undefined)[],
): readonly Person[] {
  const usedTests = countConditions.flat(2).filter((candidate) => candidate.field !== 'category')
  const parts = getPersonFields(field).filter(({ id }) =>
    usedTests.some((candidate) => candidate.field === id),
  )
  let people = new Map<string, Person>([['', {}]])
  for (const part of parts) {
    const tests = usedTests
      .filter((candidate) => candidate.field === part.id)
      .map(({ test }) => test)
    const nextPeople = new Map<string, Person>()
    for (const [key, person] of people)
      for (const answer of listPartAnswers(part, tests)) {
        const testResults = tests.map((test) => (passesTest(test, answer) ? 1 : 0)).join('')
        const kindKey = `${key} ${testResults}`
        if (!nextPeople.has(kindKey))
          nextPeople.set(
            kindKey,
            answer === undefined || typeof answer === 'object'
              ? person
              : fromPairs([...Object.entries(person), [part.id, answer]]),
          )
      }
    if (nextPeople.size > MAX_LISTED_ANSWERS) throw new TooLarge()
    people = nextPeople
  }
  return [...people.values()]
}
