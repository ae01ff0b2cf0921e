export function tryNginx() {}
export function tryEnvoy() {}
