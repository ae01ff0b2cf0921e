export async function tryEnvoy() {}
export async function tryNginx() {}
