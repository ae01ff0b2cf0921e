document.body.textContent = "page";
