/**
 * Provides array functions with asynchronous callbacks that run one after another.
 * A transaction can run only one query at a time.
 */

export async function mapInOrder<T, R>(
  list: readonly T[],
  callback: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  for (const [index, item] of list.entries()) results.push(await callback(item, index))
  return results
}

export async function flatMapInOrder<T, R>(
  list: readonly T[],
  callback: (item: T) => Promise<R | readonly R[]>,
): Promise<R[]> {
  return (await mapInOrder(list, callback)).flat() as R[]
}

export async function filterInOrder<T>(
  list: readonly T[],
  test: (item: T) => Promise<boolean>,
): Promise<T[]> {
  const matches: T[] = []
  for (const item of list) if (await test(item)) matches.push(item)
  return matches
}

export async function findInOrder<T>(
  list: readonly T[],
  test: (item: T) => Promise<boolean>,
): Promise<T | undefined> {
  for (const item of list) if (await test(item)) return item
  return undefined
}

export async function everyInOrder<T>(
  list: readonly T[],
  test: (item: T) => Promise<boolean>,
): Promise<boolean> {
  for (const item of list) if (!(await test(item))) return false
  return true
}
