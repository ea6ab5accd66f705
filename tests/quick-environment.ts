/**
 * Loaded by every worker before its tests. Each read of `process.env` calls the operating system,
 * and the YAML parser reads it once per word, which is a fifth of its time. Here a copy is read;
 * writes go to both.
 */
const real = process.env
process.env = new Proxy(
  { ...real },
  {
    set: (copy, name, value) =>
      Reflect.set(real, name, value) && Reflect.set(copy, name, String(value)),
    deleteProperty: (copy, name) =>
      Reflect.deleteProperty(real, name) && Reflect.deleteProperty(copy, name),
  },
)
