export declare const readCpu: (pid: number) => number
